package io.understudy.plugins.blackbox;

import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.servers.GtidNumbers;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The servers that were built anew since the primary's numbers began anew (RESET MASTER), so that their numbers denote
 * the primary's later transactions. Servers are known by {@link Survivor#server}. Guarded by the lock of the
 * {@link BlackBox}.
 *
 * <p>A position never goes back by replication: one that has, between two probes, shows that the server began anew
 * between them. That alone does not tell which numbers it has fetched since: the primary's stream brings its reset a
 * second or more after it, and a server that began anew in front of that has the earlier ones. So the primary is asked
 * as soon as a position has gone back. If it has not begun anew then, the server's numbers are the earlier ones,
 * however soon a reset follows. If it has, and has all of the server's numbers, both have begun anew between the same
 * two probes, and the server counts once the stream tells of the reset. Nobody can be asked which of the two was first:
 * one that began anew first, and fetched some of the earlier transactions in the part of that interval that was left,
 * is told apart only as long as it is ahead of the primary. A position that was not seen to go back, whether it was
 * overtaken by new transactions or the server did not respond, proves nothing.
 */
final class BuiltAnew {
    /** By server, its position at the last probe. */
    private final Map<String, GtidNumbers> positions = new HashMap<>();
    /** By server whose position has gone back, the one that it had before, until the primary is asked. */
    private final Map<String, GtidNumbers> unsettled = new HashMap<>();
    /** Servers that have begun anew as the primary has, of which its stream has not told yet. */
    private final Set<String> early = new HashSet<>();

    private final Set<String> servers = new HashSet<>();
    /** By server that was not built anew, what an operator says that it has. */
    private final Map<String, Map<History, GtidNumbers>> asserted = new HashMap<>();

    /**
     * Called with a server's position.
     *
     * @param anew whether the numbers of the present primary have begun anew
     */
    void seen(String server, GtidNumbers now, boolean anew) {
        GtidNumbers before = positions.put(server, now);
        if (before != null && !before.minus(now).isEmpty()) {
            unsettled.putIfAbsent(server, before);
            if (anew) {
                servers.add(server);
            }
            return;
        }
        GtidNumbers former = unsettled.get(server);
        if (former != null && former.minus(now).isEmpty()) {
            unsettled.remove(server); // it may have fetched all of the earlier ones
        }
    }

    /**
     * Called when a server does not respond.
     *
     * @param anew whether the numbers of the present primary have begun anew: then it is known in front of what it was
     *     seen
     */
    void unseen(String server, boolean anew) {
        if (!anew) {
            positions.remove(server);
            unsettled.remove(server);
        }
    }

    /** Returns whether a position has gone back, so that the primary is to be asked at once. */
    boolean isUnsettled() {
        return !unsettled.isEmpty();
    }

    /** Called when the primary could not be asked. */
    void unanswered() {
        unsettled.clear();
    }

    /**
     * Called with the answer of the primary, or when its stream begins, before {@link #begin}.
     *
     * @param behind whether it has begun anew by then
     */
    void answered(History present, boolean behind, PrimaryFacts facts) {
        if (behind) {
            GtidNumbers written = History.written(facts);
            for (String server : unsettled.keySet()) {
                GtidNumbers now = positions.getOrDefault(server, new GtidNumbers());
                if (!isAhead(now, written, present)) {
                    early.add(server);
                }
            }
        } else {
            early.clear();
        }
        unsettled.clear();
    }

    private static boolean isAhead(GtidNumbers server, GtidNumbers written, History primary) {
        return server.minus(written).sources().stream().anyMatch(primary::isOwn);
    }

    /** Called when the primary's numbers begin anew. */
    void begin() {
        servers.clear();
        asserted.clear();
        servers.addAll(early);
        early.clear();
        unsettled.clear();
    }

    boolean contains(String server) {
        return servers.contains(server);
    }

    /** Returns what a server's position means. */
    Applied meaning(String server, Applied applied) {
        return new Renumbered(applied, contains(server), asserted.getOrDefault(server, Map.of()));
    }

    /**
     * Called when an operator says that the server has what its position counts. One that is ahead of what is known of
     * the primary may count numbers that are yet to come: it has those alone that were known.
     *
     * @return whether that was in question
     */
    boolean compared(String server, Applied applied, Iterable<History> histories) {
        if (contains(server)) {
            return false;
        }
        Map<History, GtidNumbers> has = new HashMap<>();
        boolean ahead = false;
        for (History each : histories) {
            if (each.isAnew()) {
                GtidNumbers numbers = applied.of(each);
                GtidNumbers known = each.known();
                ahead |= isAhead(numbers, known, each);
                has.put(each, known.minus(known.minus(numbers)));
            }
        }
        if (ahead) {
            asserted.put(server, has);
        } else if (!has.isEmpty()) {
            servers.add(server);
        }
        return !has.isEmpty();
    }

    /** Returns whether the server may have transactions of a history whose numbers began anew, or not. */
    boolean isUnknown(String server, History history) {
        GtidNumbers has = asserted.getOrDefault(server, Map.of()).get(history);
        return history.isAnew()
                && !contains(server)
                && (has == null || !history.known().minus(has).isEmpty());
    }
}
