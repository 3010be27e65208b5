package io.understudy.unplanned;

import io.understudy.switchover.StepFailure;

/** The old primary has, or may have, what the standby lacks: nothing of it is lost before the promotion. */
final class OldPrimaryAhead extends StepFailure {
    private static final long serialVersionUID = 1;

    private final String summary;

    /** @param summary of the message, for a line of its own */
    OldPrimaryAhead(String summary, String message) {
        super(message);
        this.summary = summary;
    }

    String summary() {
        return summary;
    }
}
