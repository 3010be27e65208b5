package io.understudy.readiness;

import io.understudy.lost.MissingView;
import io.understudy.servers.GtidNumbers;
import io.understudy.servers.MariaDbGtid;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Transactions that the standby has and the primary never had. */
final class ErrantCheck {
    private ErrantCheck() {}

    static void find(Findings found) {
        Map<String, Object> lost = found.situation().proxy().lost().value();
        if (lost != null && new MissingView(lost).isRenumbered()) {
            return; // its numbers are from before the primary's began anew, and what is said of that counts
        }
        try {
            if (found.standby().isMariaDb()) {
                mariaDb(found.standby(), found.primary(), found);
            } else {
                mySql(found.standby(), found.primary(), found);
            }
        } catch (IllegalArgumentException e) {
            found.undecided(
                    "",
                    "its GTIDs, or the primary's, cannot be read: " + e.getMessage(),
                    "it may have transactions that the primary never had",
                    "");
        }
    }

    private static void mariaDb(ServerFacts standby, ServerFacts primary, Findings found) {
        Set<MariaDbGtid> had = new HashSet<>(MariaDbGtid.list(primary.variable("gtid_binlog_state")));
        List<MariaDbGtid> replicated = MariaDbGtid.list(primary.variable("gtid_slave_pos"));
        had.addAll(replicated);
        List<String> errant = new ArrayList<>();
        List<String> unclear = new ArrayList<>();
        for (MariaDbGtid gtid : MariaDbGtid.list(standby.variable("gtid_binlog_state"))) {
            if (had.stream().noneMatch(gtid::isUpTo)) {
                // What the primary replicated before it had a binary log is known by its last transaction alone.
                boolean before = had.stream().noneMatch(gtid::isOfTheSame)
                        && replicated.stream()
                                .anyMatch(one -> one.domain() == gtid.domain() && one.sequence() > gtid.sequence());
                (before ? unclear : errant).add(gtid.toString());
            }
        }
        String find = "find them with mariadb-binlog in the standby's binary log; ";
        // The server takes them for its own position otherwise; no statement brings back rows.
        String reset =
                "if no server replicates from it: SET GLOBAL rpl_semi_sync_master_enabled = 0 (on, MariaDB 11.4 was"
                        + " seen to hang for good); STOP SLAVE; RESET MASTER; SET GLOBAL gtid_slave_pos = 'the last"
                        + " transaction that both have'; START SLAVE; semi-sync as it was. That changes no row: what"
                        + " they wrote differs until it is undone, so if in doubt build the server anew";
        if (!errant.isEmpty()) {
            found.blocks(
                    String.join(",", errant),
                    "its binary log has transactions that the primary never had; the last of each server: "
                            + String.join(", ", errant),
                    "its data differ from the primary's, and after the promotion the other standbys stop with error"
                            + " 1236 or get them too",
                    find + "undo them; then, " + reset);
        }
        if (!unclear.isEmpty()) {
            found.undecided(
                    "unclear " + String.join(",", unclear),
                    "its binary log has transactions that the primary's does not name; the last of each server: "
                            + String.join(", ", unclear),
                    "the primary has replicated beyond their numbers (gtid_slave_pos), but from another server: whether"
                            + " they were among that is not known",
                    find + "undo them if they were written there; then, " + reset);
        }
    }

    private static void mySql(ServerFacts standby, ServerFacts primary, Findings found) {
        GtidNumbers beyond = GtidNumbers.ofMySql(standby.variable("gtid_executed"))
                .minus(GtidNumbers.ofMySql(primary.variable("gtid_executed")));
        if (beyond.isEmpty()) {
            return;
        }
        List<String> empty =
                beyond.list(3, (source, number) -> "SET GTID_NEXT = '" + source + ":" + number + "'; BEGIN; COMMIT");
        found.blocks(
                beyond.toString(),
                "it has transactions that the primary never had: " + beyond,
                "its data differ from the primary's, and after the promotion the other servers get them too, or stop"
                        + " when they are purged",
                "find them with mysqlbinlog in the standby's binary log; undo their changes, then on the primary an"
                        + " empty transaction for each: " + String.join("; ", empty)
                        + (beyond.count() > empty.size() ? "; …" : "") + "; SET GTID_NEXT = 'AUTOMATIC'");
    }
}
