package io.understudy.switchover;

/** How a switchover ended. */
public enum Outcome {
    /** The standby is the primary now. */
    DONE(0),
    /** It failed before the promotion; what was done is undone. */
    UNDONE(1),
    /** It failed after the promotion, or could not be undone: what is left to do was printed. */
    LEFT(3);

    private final int status;

    Outcome(int status) {
        this.status = status;
    }

    /** Returns the program's exit status. */
    public int status() {
        return status;
    }
}
