package io.understudy.unplanned;

import io.understudy.switchover.ScheduledEvent;
import io.understudy.switchover.Step;
import io.understudy.switchover.StepFailure;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Enables the scheduled events that replication has disabled on the standby: the old primary executed them. */
record EventsStep(Takeover takeover) implements Step {
    private static final String ENABLE = "ENABLE";

    @Override
    public String plan() {
        return "enable the scheduled events that replication has disabled on " + takeover.name();
    }

    @Override
    public String run() throws Exception {
        List<String> done = new ArrayList<>();
        List<String> failed = new ArrayList<>();
        for (ScheduledEvent event : ScheduledEvent.disabledAsOnStandby(takeover.standby())) {
            try {
                event.set(takeover.standby(), ENABLE);
                done.add(event.toString());
            } catch (SQLException e) {
                failed.add(event.alter(ENABLE) + " (" + e.getMessage() + ")");
            }
        }
        if (!failed.isEmpty()) {
            throw new StepFailure(
                    "it takes writes, and these events do not run there. As an account that may (MySQL: with"
                            + " SYSTEM_USER if the definer has it), on "
                            + takeover.pair().standbyAddress() + ": "
                            + String.join("; ", failed));
        }
        return done.isEmpty() ? "it has none" : String.join(", ", done);
    }
}
