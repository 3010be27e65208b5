package io.understudy.unplanned;

import io.understudy.switchover.StepFailure;

/** The old primary responds, and has what the standby lacks: nothing of it is lost before the promotion. */
final class OldPrimaryAhead extends StepFailure {
    private static final long serialVersionUID = 1;

    OldPrimaryAhead(String message) {
        super(message);
    }
}
