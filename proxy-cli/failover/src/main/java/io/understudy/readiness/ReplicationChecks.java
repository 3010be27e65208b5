package io.understudy.readiness;

import io.understudy.lost.MissingView;
import io.understudy.lost.WitnessWarning;
import io.understudy.servers.GtidNumbers;
import io.understudy.servers.MariaDbGtid;
import io.understudy.servers.ReplicaRemedy;
import io.understudy.servers.ReplicaStatus;
import io.understudy.servers.SemiSyncSource;
import io.understudy.servers.SemiSyncVariables;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What stands against a promotion in what the standby replicates, and what it has of it. */
final class ReplicationChecks {
    /** Subject of the finding that a switchover mends itself. */
    static final String SOURCE = "source";

    private ReplicationChecks() {}

    /** Checks that the standby replicates all of this primary's writes and applies them. */
    static void replicates(Findings found) {
        boolean mariaDb = found.standby().isMariaDb();
        Known<List<ReplicaStatus>> known = found.standby().get(ServerFacts.CHANNELS);
        List<ReplicaStatus> channels = known.value();
        if (isTheSameServer(found.round())) {
            found.blocks("itself", "the standby is the primary itself", "there is nothing to promote", "");
        } else if (channels == null) {
            found.undecided(
                    "privilege",
                    "its replication cannot be read: " + known.reason(),
                    "it may have stopped, or replicate from another server",
                    known.statement());
        } else if (channels.isEmpty()) {
            found.blocks(
                    "nothing",
                    "the standby does not replicate",
                    "its data ends at some moment in the past, or it has been promoted already",
                    ReplicaRemedy.ofNone(mariaDb));
        } else {
            for (ReplicaStatus channel : channels) {
                source(channel, found);
                threads(channel, isBesides(channel, channels, found), found);
                gtid(channel, found);
                completeness(channel, found);
            }
        }
    }

    /** Returns whether both readings are of one server; false if one of them failed. */
    static boolean isTheSameServer(Situation.Round round) {
        return round.hasBoth()
                && round.standby().identity().isSameServerAs(round.primary().identity());
    }

    private static void source(ReplicaStatus channel, Findings found) {
        String primary = found.situation().primaryAddress();
        if (!found.primary().responded()) {
            if (!channel.source().equals(primary)) {
                found.unknown(
                        "source " + channel.name(),
                        "it replicates from " + channel.source() + "; whether that is the primary (" + primary
                                + ") cannot be compared while that is away",
                        "a standby of another server has other data",
                        "");
            }
            return;
        }
        Boolean from = found.primary().identity().isSourceOf(channel);
        if (from == null) {
            found.undecided(
                    "source " + channel.name(),
                    "it is to replicate from " + channel.source() + " and has not connected there yet",
                    "whether that is the primary is not known",
                    ofReceiver(channel, found));
        } else if (!from) {
            found.blocks(
                    "source " + channel.name(),
                    "it replicates from " + channel.source() + ", which is not the primary " + primary,
                    "its data are those of another server",
                    "name its primary in primary.address, or let it replicate from " + primary);
        }
    }

    private static boolean isRenumbered(Findings found) {
        Map<String, Object> lost = found.situation().proxy().lost().value();
        return lost != null && new MissingView(lost).isRenumbered();
    }

    /** Returns what may be done unless the primary's binary log was reset. */
    private static String unlessRenumbered(Findings found, String remedy) {
        return isRenumbered(found) ? "do not start it: docs/black-box.md, After RESET MASTER" : remedy;
    }

    /** Returns whether another connection is the one from the primary, so that nobody may need this one. */
    private static boolean isBesides(ReplicaStatus channel, List<ReplicaStatus> all, Findings found) {
        return !Boolean.TRUE.equals(isFromPrimary(channel, found))
                && all.stream().anyMatch(each -> Boolean.TRUE.equals(isFromPrimary(each, found)));
    }

    private static @Nullable Boolean isFromPrimary(ReplicaStatus channel, Findings found) {
        return found.primary().responded() ? found.primary().identity().isSourceOf(channel) : null;
    }

    private static void gtid(ReplicaStatus channel, Findings found) {
        boolean mariaDb = found.standby().isMariaDb();
        if (channel.isByFile()) {
            found.warns(
                    "gtid " + channel.name(),
                    "it replicates by file and offset (" + (mariaDb ? "Using_Gtid: No" : "Auto_Position: 0") + ")",
                    "understudy failover and switchover need GTIDs, and refuse to promote it",
                    ReplicaRemedy.toGtid(channel, mariaDb));
        }
    }

    private static void threads(ReplicaStatus channel, boolean besides, Findings found) {
        boolean mariaDb = found.standby().isMariaDb();
        if (!channel.applies()) {
            String error = ReplicaRemedy.applierError(channel);
            found.blocks(
                    "applier " + channel.name(),
                    "the applier" + (besides ? " of what " + channel.source() + " sends" : "") + " has stopped"
                            + (error.isEmpty() ? "" : ": " + error),
                    "what it has received is not in its tables; " + ReplicaRemedy.discarding(channel, mariaDb)
                            + " throws it away",
                    unlessRenumbered(found, ReplicaRemedy.ofApplier(channel, mariaDb)));
        }
        if (!channel.receives() && found.primary().responded()) {
            String error = ReplicaRemedy.receiverError(channel);
            boolean other = besides || Boolean.FALSE.equals(isFromPrimary(channel, found));
            found.blocks(
                    "receiver " + channel.name(),
                    "it receives nothing from " + (other ? channel.source() : "the primary")
                            + (error.isEmpty() ? "" : ": " + error),
                    other
                            ? "what that server commits from now on is not there"
                            : "what the primary commits from now on is lost",
                    ofReceiver(channel, found) + (besides ? "; " + ReplicaRemedy.removal(channel, mariaDb) : ""));
        }
    }

    private static String ofReceiver(ReplicaStatus channel, Findings found) {
        return unlessRenumbered(
                found, ReplicaRemedy.ofReceiver(channel, found.standby().isMariaDb()));
    }

    private static void completeness(ReplicaStatus channel, Findings found) {
        if (!channel.filters().isEmpty()) {
            found.blocks(
                    "filters " + channel.name(),
                    "it filters what it replicates: " + String.join(", ", channel.filters()),
                    "the data that it leaves out are gone after the promotion",
                    "remove the filters and copy the tables that are missing");
        }
        if (channel.delay() > 0) {
            found.blocks(
                    "delay " + channel.name(),
                    "it applies with a delay of " + channel.delay() + " s on purpose",
                    "a promotion waits for that long, or loses what is not applied",
                    withoutDelay(channel, found));
        }
    }

    /**
     * On MariaDB both threads have to be stopped for that, which throws away what only a living primary sends again.
     */
    private static String withoutDelay(ReplicaStatus channel, Findings found) {
        if (!found.standby().isMariaDb()) {
            return "on the standby: STOP REPLICA SQL_THREAD; CHANGE REPLICATION SOURCE TO SOURCE_DELAY = 0;"
                    + " START REPLICA SQL_THREAD";
        }
        return found.primary().responded()
                ? "on the standby: STOP SLAVE; CHANGE MASTER TO MASTER_DELAY = 0; START SLAVE"
                : "do not change it while the primary is away: that throws away what it has received. Wait until it has"
                        + " applied that: " + ReplicaRemedy.applying(channel, true);
    }

    /** Transactions that the standby has received and not applied, which some statements throw away. */
    static void received(Findings found) {
        Situation situation = found.situation();
        ReplicaStatus before = Situation.fromPrimary(situation.before());
        ReplicaStatus now = Situation.fromPrimary(situation.now());
        ServerFacts standby = found.standby();
        if (before == null || now == null) {
            return;
        }
        String amount = amount(before, now, standby);
        if (amount.isEmpty() || isWorkedOff(situation, now)) {
            return;
        }
        found.blocks(
                now.name(),
                "it has received " + amount + " that it has not applied",
                "their clients may have been told that they are safe; "
                        + ReplicaRemedy.discarding(now, standby.isMariaDb()) + " throws them away",
                "on the standby, before any STOP of its replication: "
                        + ReplicaRemedy.applying(now, standby.isMariaDb()));
    }

    /** Returns whether the applier made progress between the readings and is not far behind: then it is lag. */
    private static boolean isWorkedOff(Situation situation, ReplicaStatus now) {
        ServerFacts before = situation.before().standby();
        ServerFacts standby = situation.now().standby();
        String position = standby.isMariaDb() ? "gtid_slave_pos" : "gtid_executed";
        double behind = now.secondsBehind().orElse(Double.MAX_VALUE);
        return now.applies()
                && before.responded()
                && !before.variable(position).equals(standby.variable(position))
                && behind < situation.limits().noticedLag().toMillis() / 1e3;
    }

    /** Returns what was received in the first reading and is not applied in the second; empty for nothing. */
    private static String amount(ReplicaStatus before, ReplicaStatus now, ServerFacts standby) {
        Long missing = standby.lacks(before.received());
        if (missing != null) {
            return missing == 0 ? "" : missing + " transactions";
        }
        // Without GTIDs only positions can be compared; the applier's moves while it is being followed.
        boolean stands = before.appliedFile().equals(now.appliedFile());
        return stands && !before.receivedFile().equals(now.appliedFile())
                ? "events up to " + before.receivedFile()
                : "";
    }

    /** Transactions that the standby has and the primary never had. */
    static void errant(Findings found) {
        if (isRenumbered(found)) {
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

    /**
     * Returns what comes before anything is undone: of a former primary these may be all that is left of what clients
     * were told.
     *
     * @param reader of binary logs
     */
    private static String bring(String reader) {
        return "if it was the primary before, clients may have been told of them: bring their rows to the primary first"
                + " (understudy report lost --on primary, understudy rescue; what no black box has, by hand: it is in"
                + " the standby's binary log alone). Then find with " + reader + " in that log what is left or may be"
                + " lost; ";
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
        String find = bring("mariadb-binlog");
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
                bring("mysqlbinlog")
                        + "undo their changes, then on the primary an empty transaction for each, by which they count"
                        + " as applied, and rows that are not there by then are lost: " + String.join("; ", empty)
                        + (beyond.count() > empty.size() ? "; …" : "") + "; SET GTID_NEXT = 'AUTOMATIC'");
    }

    /** Checks that this standby has acknowledged the commits whose clients got an OK. */
    static void semiSync(Findings found) {
        SemiSyncVariables there = found.primary().semiSync();
        SemiSyncVariables own = found.standby().semiSync();
        if (!there.isOn(there.source())) {
            return; // asynchronous by choice
        }
        String restart = found.standby().isMariaDb()
                ? "STOP SLAVE IO_THREAD; START SLAVE IO_THREAD"
                : "STOP REPLICA IO_THREAD; START REPLICA IO_THREAD";
        if (SemiSyncSource.value(there.variables(), "status").equalsIgnoreCase("OFF")) {
            found.blocks(
                    "primary",
                    "the primary has given up waiting for acknowledgements",
                    "commits that clients were told of may be on the primary only, and are lost with it",
                    "find out why no standby acknowledges in time; on the standby: " + restart);
        }
        if (!own.isOn(own.replica().replace("enabled", "status"))) {
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
                            + (own.isOn(own.replica()) ? "" : "SET GLOBAL " + own.replica() + " = 1; ")
                            + restart);
        }
        source(own, found);
    }

    /** The side that the standby needs as the primary. */
    private static void source(SemiSyncVariables own, Findings found) {
        String why = "as the primary it would tell clients of commits that no other server has";
        if (!own.has(own.source())) {
            found.blocks(
                    "source plugin",
                    "this standby has no plugin for the source side of semi-sync, which the primary uses",
                    why,
                    "in the standby's option file: plugin-load-add = semisync_source.so; then restart it");
        } else if (!own.isOn(own.source())) {
            found.blocks(
                    SOURCE,
                    own.source() + " is off on this standby, and the primary uses it",
                    why,
                    "understudy switchover enables it; with other tools, on the standby: SET GLOBAL " + own.waits()
                            + " = 0, GLOBAL " + own.source() + " = 1 (with 0 commits wait only while a standby is"
                            + " connected)");
        }
    }
}
