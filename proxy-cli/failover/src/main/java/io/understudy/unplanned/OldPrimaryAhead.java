package io.understudy.unplanned;

import io.understudy.switchover.StepFailure;

/** The old primary has, or may have, what the standby lacks: nothing of it is lost before the promotion. */
final class OldPrimaryAhead extends StepFailure {
    private static final long serialVersionUID = 1;

    private final boolean tells;

    /** @param tells whether it responds, and has told it */
    OldPrimaryAhead(boolean tells, String message) {
        super(message);
        this.tells = tells;
    }

    boolean tells() {
        return tells;
    }
}
