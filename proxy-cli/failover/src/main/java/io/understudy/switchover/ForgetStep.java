package io.understudy.switchover;

import java.sql.SQLException;

/** Removes the new primary's replication connection, which would start again with the server. */
final class ForgetStep implements Step {
    private final Pair pair;

    ForgetStep(Pair pair) {
        this.pair = pair;
    }

    @Override
    public String plan() {
        return "remove the replication connection of " + pair.standby().name() + ": " + statement();
    }

    private String statement() {
        return pair.dialect().forget(pair.replication());
    }

    @Override
    public String run() throws Exception {
        try {
            pair.standby().execute(statement());
        } catch (SQLException e) {
            throw new StepFailure(
                    e.getMessage() + "; by hand, on " + pair.standbyAddress() + ": " + statement()
                            + "; otherwise it replicates from the old primary again after a restart",
                    e);
        }
        return "removed";
    }
}
