package io.understudy.plugins.blackbox;

import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.servers.GtidNumbers;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The servers of which an operator says that they were built anew since the primary's numbers began anew (RESET
 * MASTER), or compared with it, so that their numbers denote the primary's later transactions. Servers are known by
 * {@link Survivor#server}. Guarded by the lock of the {@link BlackBox}.
 *
 * <p>Positions cannot tell: one that has gone back is of a server that was reset, or restored from an older copy, at a
 * time when it may have lacked transactions from before the primary's reset, or from between two of them. They can
 * contradict an operator, though.
 */
final class BuiltAnew {
    private final Set<String> servers = new HashSet<>();
    /** By server, the last position that was seen. */
    private final Map<String, Applied> last = new HashMap<>();
    /** By server, the last position that was seen before the numbers began anew. */
    private final Map<String, Applied> before = new HashMap<>();

    /** Called when the primary's numbers begin anew. */
    void begin() {
        servers.clear();
        before.clear();
        before.putAll(last);
    }

    /** Returns whether an operator has spoken of no server since. */
    boolean isEmpty() {
        return servers.isEmpty();
    }

    private boolean contains(String server) {
        return servers.contains(server);
    }

    /** Called with a server's position. Returns what it means. */
    Applied seen(String server, Applied applied) {
        last.put(server, applied);
        return new Renumbered(applied, contains(server));
    }

    /**
     * Called when an operator says that the server has what its position counts.
     *
     * @param now what the primary says after the server was asked; null if it does not respond
     * @return whether that was in question
     * @throws IllegalArgumentException if its position contradicts
     */
    boolean compared(String server, Applied applied, Iterable<History> histories, @Nullable PrimaryFacts now) {
        boolean unknown = false;
        for (History each : histories) {
            if (isUnknown(server, each)) {
                unknown = true;
                check(server, applied, each, now);
            }
        }
        if (unknown) {
            servers.add(server);
        }
        return unknown;
    }

    private void check(String server, Applied applied, History history, @Nullable PrimaryFacts now) {
        GtidNumbers known = history.known();
        GtidNumbers numbers = applied.of(history);
        GtidNumbers ahead = numbers.minus(known);
        if (now != null && history.facts.sameServer(now)) {
            ahead = ahead.minus(History.written(now));
        }
        Applied former = before.get(server);
        boolean still = former != null && !numbers.isEmpty() && isSame(numbers, former.of(history)) && !known.isEmpty();
        if (still || ahead.sources().stream().anyMatch(history::isOwn)) {
            throw new IllegalArgumentException("its position "
                    + (still ? "is still that of before" : "counts numbers that the primary has not written since")
                    + " the primary's numbers began anew (RESET MASTER), so it is not what was compared or built anew."
                    + " Nothing is changed. docs/black-box.md, After RESET MASTER, has what to do");
        }
    }

    private static boolean isSame(GtidNumbers one, GtidNumbers other) {
        return one.minus(other).isEmpty() && other.minus(one).isEmpty();
    }

    /** Returns whether the server may have transactions of a history whose numbers began anew, or not. */
    boolean isUnknown(String server, History history) {
        return history.isAnew() && !contains(server);
    }
}
