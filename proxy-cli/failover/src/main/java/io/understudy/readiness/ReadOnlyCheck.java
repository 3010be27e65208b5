package io.understudy.readiness;

import io.understudy.servers.ServerQueries;
import java.util.List;

/** Checks that the standby refuses writes. */
final class ReadOnlyCheck implements Check {
    private static final Findings FOUND = new Findings("read-only");

    @Override
    public List<Finding> findings(Situation situation) {
        ServerFacts standby = situation.now().standby();
        if (!standby.responded()) {
            return List.of();
        }
        if (!ServerQueries.isOn(standby.variable("read_only"))) {
            return List.of(FOUND.blocks(
                    "read_only",
                    "the standby is writable",
                    "it may have been promoted already; otherwise every write there makes its data differ",
                    "on the standby, unless it has been promoted: SET GLOBAL "
                            + (standby.isMariaDb() ? "read_only = 1" : "super_read_only = 1")));
        }
        String noAdmin = standby.variable("super_read_only");
        if (!noAdmin.isEmpty() && !ServerQueries.isOn(noAdmin)) {
            return List.of(FOUND.warns(
                    "super_read_only",
                    "super_read_only is off on the standby",
                    "accounts with CONNECTION_ADMIN or SUPER can write there, which makes errant transactions",
                    "on the standby: SET GLOBAL super_read_only = 1"));
        }
        return List.of();
    }
}
