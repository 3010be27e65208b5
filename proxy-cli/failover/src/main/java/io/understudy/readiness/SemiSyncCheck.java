package io.understudy.readiness;

import io.understudy.lost.WitnessWarning;
import io.understudy.servers.ServerQueries;

/** Checks that this standby has acknowledged the commits whose clients got an OK. */
final class SemiSyncCheck {
    /** Subject of the finding that a switchover mends itself. */
    static final String SOURCE = "source";

    private SemiSyncCheck() {}

    static void find(Findings found) {
        ServerFacts primary = found.primary();
        ServerFacts standby = found.standby();
        if (!ServerQueries.isOn(primary.variable("rpl_semi_sync_source_enabled", "rpl_semi_sync_master_enabled"))) {
            return; // asynchronous by choice
        }
        boolean mariaDb = standby.isMariaDb();
        String restart = mariaDb
                ? "STOP SLAVE IO_THREAD; START SLAVE IO_THREAD"
                : "STOP REPLICA IO_THREAD; START REPLICA IO_THREAD";
        if (primary.semiSync("source_status", "master_status").equalsIgnoreCase("OFF")) {
            found.blocks(
                    "primary",
                    "the primary has given up waiting for acknowledgements",
                    "commits that clients were told of may be on the primary only, and are lost with it",
                    "find out why no standby acknowledges in time; on the standby: " + restart);
        }
        String variable = mariaDb || standby.hasVariable("rpl_semi_sync_slave_enabled")
                ? "rpl_semi_sync_slave_enabled"
                : "rpl_semi_sync_replica_enabled";
        if (!standby.semiSync("replica_status", "slave_status").equalsIgnoreCase("ON")) {
            boolean witnessed =
                    WitnessWarning.isPresent(found.situation().proxy().witness());
            found.add(
                    "standby",
                    witnessed ? Severity.NOTES : Severity.BLOCKS,
                    "this standby does not acknowledge" + (witnessed ? ", the witness does" : ""),
                    witnessed
                            ? "commits that the witness alone has acknowledged are applied by understudy failover, and"
                                    + " by no other tool"
                            : "commits that another standby has acknowledged may be missing on this one",
                    "on the standby: "
                            // Enabled while it was receiving already, it takes part from the next start on.
                            + (ServerQueries.isOn(standby.variable(variable))
                                    ? ""
                                    : "SET GLOBAL " + variable + " = 1; ")
                            + restart);
        }
        source(standby, found);
    }

    /** The side that the standby needs as the primary. */
    private static void source(ServerFacts standby, Findings found) {
        boolean old = !standby.variable("rpl_semi_sync_master_enabled").isEmpty();
        String enabled = old ? "rpl_semi_sync_master_enabled" : "rpl_semi_sync_source_enabled";
        String why = "as the primary it would tell clients of commits that no other server has";
        if (standby.variable(enabled).isEmpty()) {
            found.blocks(
                    "source plugin",
                    "this standby has no plugin for the source side of semi-sync, which the primary uses",
                    why,
                    "in the standby's option file: plugin-load-add = semisync_source.so; then restart it");
        } else if (!ServerQueries.isOn(standby.variable(enabled))) {
            String waits = old ? "rpl_semi_sync_master_wait_no_slave" : "rpl_semi_sync_source_wait_no_replica";
            found.blocks(
                    SOURCE,
                    enabled + " is off on this standby, and the primary uses it",
                    why,
                    "understudy switchover enables it; with other tools, on the standby: SET GLOBAL " + waits
                            + " = 0, GLOBAL " + enabled + " = 1 (with 0 commits wait only while a standby is"
                            + " connected)");
        }
    }
}
