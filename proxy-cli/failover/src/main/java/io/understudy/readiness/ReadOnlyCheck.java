package io.understudy.readiness;

import io.understudy.servers.ServerQueries;

/** Checks that the standby refuses writes. */
final class ReadOnlyCheck {
    private ReadOnlyCheck() {}

    static void find(Findings found) {
        ServerFacts standby = found.standby();
        String noAdmin = standby.variable("super_read_only");
        if (!ServerQueries.isOn(standby.variable("read_only"))) {
            found.blocks(
                    "read_only",
                    "the standby is writable",
                    "it may have been promoted already; otherwise every write there makes its data differ",
                    "on the standby, unless it has been promoted: SET GLOBAL "
                            + (standby.isMariaDb() ? "read_only = 1" : "super_read_only = 1"));
        } else if (!noAdmin.isEmpty() && !ServerQueries.isOn(noAdmin)) {
            found.warns(
                    "super_read_only",
                    "super_read_only is off on the standby",
                    "accounts with CONNECTION_ADMIN or SUPER can write there, which makes errant transactions",
                    "on the standby: SET GLOBAL super_read_only = 1");
        }
    }
}
