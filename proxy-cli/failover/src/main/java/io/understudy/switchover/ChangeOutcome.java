package io.understudy.switchover;

/** The end of a change of the primary, with the program's exit status. */
public enum ChangeOutcome {
    /** The standby is the primary now. Of an unplanned change: and has all that is known of. */
    DONE(0),
    /** The standby was not promoted: a planned change is undone, an unplanned one may be tried again. */
    NOT_PROMOTED(1),
    /** It is promoted, or may be, or could not be undone: what is left to do was printed. */
    LEFT(3),
    /** The standby is the primary now, and what is lost was printed. */
    LOST(4);

    private final int status;

    ChangeOutcome(int status) {
        this.status = status;
    }

    /** Returns the program's exit status. */
    public int status() {
        return status;
    }
}
