package io.understudy.unplanned;

import io.understudy.switchover.Node;
import io.understudy.switchover.Step;
import io.understudy.switchover.StepFailure;
import java.sql.SQLException;

/** Makes the standby writable. */
record PromotionStep(Takeover takeover) implements Step {
    @Override
    public String plan() {
        return "promote " + takeover.name() + ": " + takeover.pair().dialect().writable();
    }

    @Override
    public String run() throws Exception {
        Node standby = takeover.standby();
        standby.traced();
        try {
            standby.execute(takeover.pair().dialect().writable());
        } catch (SQLException e) {
            standby.ensureFormerEnded(); // else it might be promoted after this
            if (standby.readOnly()) {
                throw new StepFailure(e.getMessage() + "; it is read-only still", e);
            }
        }
        return takeover.pair().standbyAddress() + " is writable";
    }
}
