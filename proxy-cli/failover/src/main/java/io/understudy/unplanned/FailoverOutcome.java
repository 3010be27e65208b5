package io.understudy.unplanned;

/** The end of an unplanned change of the primary, with the program's exit status. */
public enum FailoverOutcome {
    /** The standby is the primary now, and has all that is known of. */
    NOTHING_LOST(0),
    /** The standby was not promoted; it may be tried again. */
    NOT_PROMOTED(1),
    /** It is promoted, or may be, and something is left to do, which was printed. */
    LEFT(3),
    /** The standby is the primary now, and what is lost was printed. */
    LOST(4);

    private final int status;

    FailoverOutcome(int status) {
        this.status = status;
    }

    /** Returns the program's exit status. */
    public int status() {
        return status;
    }
}
