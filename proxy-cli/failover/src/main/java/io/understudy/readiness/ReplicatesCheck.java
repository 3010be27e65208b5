package io.understudy.readiness;

import io.understudy.servers.ReplicaStatus;
import java.util.ArrayList;
import java.util.List;

/** Checks that the standby replicates all of this primary's writes and applies them. */
final class ReplicatesCheck implements Check.OfRound {
    private static final Findings FOUND = new Findings("replicates");
    /** ER_MASTER_FATAL_ERROR_READING_BINLOG: the primary cannot send what follows the standby's position. */
    private static final String POSITION_UNKNOWN = "error 1236:";

    @Override
    public List<Finding> findings(Situation.Round round, Situation situation) {
        ServerFacts standby = round.standby();
        if (!standby.responded()) {
            return List.of();
        }
        if (isTheSameServer(round)) {
            return List.of(
                    FOUND.blocks("itself", "the standby is the primary itself", "there is nothing to promote", ""));
        }
        List<ReplicaStatus> channels = standby.get(ServerFacts.CHANNELS).value();
        if (channels == null) {
            return List.of(FOUND.undecided(
                    "privilege",
                    "its replication cannot be read: "
                            + standby.get(ServerFacts.CHANNELS).reason(),
                    "it may have stopped, or replicate from another server",
                    standby.get(ServerFacts.CHANNELS).statement()));
        }
        if (channels.isEmpty()) {
            return List.of(FOUND.blocks(
                    "nothing",
                    "the standby does not replicate",
                    "its data ends at some moment in the past, or it has been promoted already",
                    standby.isMariaDb()
                            ? "on the standby: CHANGE MASTER TO MASTER_HOST = '…', MASTER_USE_GTID = slave_pos; START"
                                    + " SLAVE"
                            : "on the standby: CHANGE REPLICATION SOURCE TO SOURCE_HOST = '…', SOURCE_AUTO_POSITION ="
                                    + " 1; START REPLICA"));
        }
        List<Finding> findings = new ArrayList<>();
        for (ReplicaStatus channel : channels) {
            source(channel, round, situation, findings);
            threads(channel, round, findings);
            completeness(channel, standby, findings);
        }
        return findings;
    }

    /** Returns whether both readings are of one server; false if one of them failed. */
    static boolean isTheSameServer(Situation.Round round) {
        ServerFacts standby = round.standby();
        ServerFacts primary = round.primary();
        if (!standby.responded() || !primary.responded()) {
            return false;
        }
        return standby.identity().isSameServerAs(primary.identity());
    }

    private static String error(int number, String message) {
        return number == 0 ? "" : "error " + number + ": " + message;
    }

    private static void source(
            ReplicaStatus channel, Situation.Round round, Situation situation, List<Finding> findings) {
        if (!round.primary().responded()) {
            if (!channel.source().equals(situation.primaryAddress())) {
                findings.add(FOUND.unknown(
                        "source " + channel.name(),
                        "it replicates from " + channel.source() + "; whether that is the primary ("
                                + situation.primaryAddress() + ") cannot be compared while that is away",
                        "a standby of another server has other data",
                        ""));
            }
            return;
        }
        Boolean from = round.primary().identity().isSourceOf(channel);
        if (from == null) {
            findings.add(FOUND.undecided(
                    "source " + channel.name(),
                    "it is to replicate from " + channel.source() + " and has not connected there yet",
                    "whether that is the primary is not known",
                    "on the standby: " + start(round.standby(), "")));
        } else if (!from) {
            findings.add(FOUND.blocks(
                    "source " + channel.name(),
                    "it replicates from " + channel.source() + ", which is not the primary "
                            + situation.primaryAddress(),
                    "its data are those of another server",
                    "name its primary in primary.address, or let it replicate from " + situation.primaryAddress()));
        }
    }

    private static String start(ServerFacts standby, String thread) {
        return (standby.isMariaDb() ? "START SLAVE" : "START REPLICA") + (thread.isEmpty() ? "" : " " + thread);
    }

    private static void threads(ReplicaStatus channel, Situation.Round round, List<Finding> findings) {
        if (!channel.applies()) {
            String error = error(channel.applierErrno(), channel.applierError());
            findings.add(FOUND.blocks(
                    "applier " + channel.name(),
                    "the applier has stopped" + (error.isEmpty() ? "" : ": " + error),
                    "what it has received is not in its tables, and is discarded if its replication is restarted",
                    (error.isEmpty() ? "" : "mend the error, then ") + "on the standby: "
                            + start(round.standby(), "SQL_THREAD")));
        }
        if (!channel.receives() && round.primary().responded()) {
            String error = error(channel.receiverErrno(), channel.receiverError());
            boolean diverged = error.startsWith(POSITION_UNKNOWN);
            findings.add(FOUND.blocks(
                    "receiver " + channel.name(),
                    "it receives nothing from the primary" + (error.isEmpty() ? "" : ": " + error),
                    "what the primary commits from now on is lost",
                    diverged
                            ? "a start fails again: either the primary has purged what it lacks, or it has transactions"
                                    + " that the primary lacks, as an old primary (errant). Build it anew; or compare"
                                    + " both first: docs/failover.md, People, step 6"
                            : "on the standby: " + start(round.standby(), "IO_THREAD")));
        }
    }

    private static void completeness(ReplicaStatus channel, ServerFacts standby, List<Finding> findings) {
        if (!channel.filters().isEmpty()) {
            findings.add(FOUND.blocks(
                    "filters " + channel.name(),
                    "it filters what it replicates: " + String.join(", ", channel.filters()),
                    "the data that it leaves out are gone after the promotion",
                    "remove the filters and copy the tables that are missing"));
        }
        if (channel.delay() > 0) {
            findings.add(FOUND.blocks(
                    "delay " + channel.name(),
                    "it applies with a delay of " + channel.delay() + " s on purpose",
                    "a promotion waits for that long, or loses what is not applied",
                    standby.isMariaDb()
                            ? "on the standby: STOP SLAVE; CHANGE MASTER TO MASTER_DELAY = 0; START SLAVE"
                            : "on the standby: STOP REPLICA SQL_THREAD; CHANGE REPLICATION SOURCE TO SOURCE_DELAY = 0;"
                                    + " START REPLICA SQL_THREAD"));
        }
    }
}
