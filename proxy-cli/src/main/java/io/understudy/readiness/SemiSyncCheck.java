package io.understudy.readiness;

import java.util.ArrayList;
import java.util.List;

/** Checks that this standby has acknowledged the commits whose clients got an OK. */
final class SemiSyncCheck implements Check.OfRound {
    private static final String NAME = "semi-sync";

    @Override
    public List<Finding> findings(Situation.Round round, Situation situation) {
        ServerFacts primary = round.primary();
        ServerFacts standby = round.standby();
        if (!primary.responded() || !standby.responded()) {
            return List.of();
        }
        if (!ServerFacts.isOn(primary.variable("rpl_semi_sync_source_enabled", "rpl_semi_sync_master_enabled"))) {
            return List.of(); // asynchronous by choice
        }
        boolean mariaDb = standby.isMariaDb();
        List<Finding> findings = new ArrayList<>();
        String restart = mariaDb
                ? "STOP SLAVE IO_THREAD; START SLAVE IO_THREAD"
                : "STOP REPLICA IO_THREAD; START REPLICA IO_THREAD";
        if (primary.semiSync("source_status", "master_status").equalsIgnoreCase("OFF")) {
            findings.add(Finding.blocks(
                    NAME,
                    "primary",
                    "the primary has given up waiting for acknowledgements",
                    "commits that clients were told of may be on the primary only, and are lost with it",
                    "find out why no standby acknowledges in time; on the standby: " + restart));
        }
        String variable = mariaDb ? "rpl_semi_sync_slave_enabled" : "rpl_semi_sync_replica_enabled";
        if (!standby.semiSync("replica_status", "slave_status").equalsIgnoreCase("ON")) {
            findings.add(Finding.blocks(
                    NAME,
                    "standby",
                    "this standby does not acknowledge",
                    "commits that another standby has acknowledged may be missing on this one",
                    "on the standby: SET GLOBAL " + variable + " = 1; " + restart));
        }
        return findings;
    }
}
