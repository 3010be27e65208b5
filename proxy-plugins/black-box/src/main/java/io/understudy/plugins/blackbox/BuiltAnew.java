package io.understudy.plugins.blackbox;

import io.understudy.servers.GtidNumbers;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The servers of which an operator says that they were built anew since the primary's numbers began anew (RESET
 * MASTER), or compared with it, so that their numbers denote the primary's later transactions. Servers are known by
 * {@link Survivor#server}. Guarded by the lock of the {@link BlackBox}.
 *
 * <p>Positions cannot tell: one that has gone back is of a server that was reset, or restored from an older copy, at a
 * time when it may have lacked transactions from before the primary's reset, or from between two of them.
 */
final class BuiltAnew {
    private final Set<String> servers = new HashSet<>();
    /** By server that may count numbers to come, what an operator says that it has. */
    private final Map<String, Map<History, GtidNumbers>> asserted = new HashMap<>();

    /** Called when the primary's numbers begin anew. */
    void begin() {
        servers.clear();
        asserted.clear();
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
                ahead |= numbers.minus(known).sources().stream().anyMatch(each::isOwn);
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
