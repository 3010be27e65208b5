package io.understudy.switchover;

/** The end of a switchover, with the program's exit status. */
public enum SwitchoverOutcome {
    /** The standby is the primary now. */
    DONE(0),
    /** It failed before the promotion; what was done is undone. */
    UNDONE(1),
    /** It failed after the promotion, or could not be undone: what is left to do was printed. */
    LEFT(3);

    private final int status;

    SwitchoverOutcome(int status) {
        this.status = status;
    }

    /** Returns the program's exit status. */
    public int status() {
        return status;
    }
}
