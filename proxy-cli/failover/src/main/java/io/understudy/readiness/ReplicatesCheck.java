package io.understudy.readiness;

import io.understudy.lost.MissingView;
import io.understudy.servers.ReplicaRemedy;
import io.understudy.servers.ReplicaStatus;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks that the standby replicates all of this primary's writes and applies them. */
final class ReplicatesCheck {
    private ReplicatesCheck() {}

    static void find(Findings found) {
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
                    found.standby().isMariaDb()
                            ? "on the standby: STOP SLAVE; CHANGE MASTER TO MASTER_DELAY = 0; START SLAVE"
                            : "on the standby: STOP REPLICA SQL_THREAD; CHANGE REPLICATION SOURCE TO SOURCE_DELAY = 0;"
                                    + " START REPLICA SQL_THREAD");
        }
    }
}
