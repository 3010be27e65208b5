package io.understudy.readiness;

import io.understudy.plugins.binlog.GtidNumbers;
import java.util.ArrayList;
import java.util.List;

/** Transactions that the standby has and the primary never had. */
final class ErrantCheck implements Check {
    private static final String NAME = "errant";

    @Override
    public List<Finding> findings(Situation situation) {
        // The primary is read after the standby, so that it has all that the standby got from it.
        ServerFacts standby = situation.before().standby();
        ServerFacts primary = situation.now().primary();
        if (!standby.responded() || !primary.responded() || standby.isMariaDb() != primary.isMariaDb()) {
            return List.of();
        }
        return standby.isMariaDb() ? mariaDb(standby, primary) : mySql(standby, primary);
    }

    private static List<Finding> mariaDb(ServerFacts standby, ServerFacts primary) {
        List<ReplicationGtids.Gtid> had =
                new ArrayList<>(ReplicationGtids.mariaDb(primary.variable("gtid_binlog_state")));
        List<ReplicationGtids.Gtid> replicated = ReplicationGtids.mariaDb(primary.variable("gtid_slave_pos"));
        List<String> errant = new ArrayList<>();
        List<ReplicationGtids.Gtid> all =
                new ArrayList<>(ReplicationGtids.mariaDb(standby.variable("gtid_binlog_state")));
        for (ReplicationGtids.Gtid gtid : all) {
            boolean known = had.stream()
                            .anyMatch(one -> one.domain().equals(gtid.domain())
                                    && one.server().equals(gtid.server())
                                    && one.number() >= gtid.number())
                    || replicated.stream()
                            .anyMatch(one -> one.domain().equals(gtid.domain()) && one.number() >= gtid.number());
            if (!known) {
                errant.add(gtid.domain() + "-" + gtid.server() + "-" + gtid.number());
            }
        }
        if (errant.isEmpty()) {
            return List.of();
        }
        return List.of(Finding.warns(
                NAME,
                String.join(",", errant),
                "its binary log has transactions that the primary never had; the last of each server: "
                        + String.join(", ", errant),
                "its data differ from the primary's, and after the promotion the other standbys stop with error 1236"
                        + " or get them too",
                "find them with mariadb-binlog in the standby's binary log, and undo them; if no server replicates"
                        + " from it: RESET MASTER there"));
    }

    private static List<Finding> mySql(ServerFacts standby, ServerFacts primary) {
        GtidNumbers beyond;
        try {
            beyond = GtidNumbers.ofMySql(standby.variable("gtid_executed"))
                    .minus(GtidNumbers.ofMySql(primary.variable("gtid_executed")));
        } catch (IllegalArgumentException e) {
            return List.of(Finding.unknown(NAME, "", "its GTIDs cannot be read: " + e.getMessage(), "", ""));
        }
        if (beyond.isEmpty()) {
            return List.of();
        }
        List<String> empty =
                beyond.list(3, (source, number) -> "SET GTID_NEXT = '" + source + ":" + number + "'; BEGIN; COMMIT");
        return List.of(Finding.warns(
                NAME,
                beyond.toString(),
                "it has transactions that the primary never had: " + beyond,
                "its data differ from the primary's, and after the promotion the other servers get them too, or stop"
                        + " when they are purged",
                "undo their changes, then on the primary an empty transaction for each: " + String.join("; ", empty)
                        + (beyond.count() > empty.size() ? "; …" : "") + "; SET GTID_NEXT = 'AUTOMATIC'"));
    }
}
