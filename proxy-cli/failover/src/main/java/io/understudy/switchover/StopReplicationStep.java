package io.understudy.switchover;

import java.sql.SQLException;
import java.time.Duration;

/** Stops the standby's replication. */
final class StopReplicationStep implements Step {
    private final Pair pair;
    private final HoldClock clock;
    private boolean tried;

    StopReplicationStep(Pair pair, HoldClock clock) {
        this.pair = pair;
        this.clock = clock;
    }

    @Override
    public String plan() {
        return "stop replication on " + pair.standby().name() + ": " + statement();
    }

    private String statement() {
        return pair.dialect().stop(pair.replication());
    }

    @Override
    public String run() throws Exception {
        Duration left = clock.left("and replication still runs");
        pair.standby().traced();
        tried = true;
        pair.standby().executeWithin(statement(), left);
        return "stopped";
    }

    @Override
    public boolean undoneLast() {
        return true;
    }

    @Override
    public String undo() throws SQLException, UndoRefused {
        if (!tried) {
            return "";
        }
        String statement = pair.dialect().start(pair.replication());
        try {
            pair.standby().ensureFormerEnded(); // else replication might stop after this
            if (!pair.standby().readOnly()) {
                throw new UndoRefused(pair.standbyAddress() + " is writable: somebody has promoted it, and its"
                        + " replication stays as it is");
            }
            pair.standby().execute(statement);
        } catch (SQLException e) {
            throw new SQLException(
                    pair.standby().name() + " may not replicate; there: " + statement + " (" + e.getMessage() + ")", e);
        }
        return pair.standby().name() + " replicates again";
    }
}
