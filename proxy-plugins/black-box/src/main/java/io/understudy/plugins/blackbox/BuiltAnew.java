package io.understudy.plugins.blackbox;

import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.servers.GtidNumbers;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What servers have where the primary's numbers began anew (RESET MASTER): which of them an operator says were built
 * anew since, or compared with it, so that their numbers denote the primary's later transactions; and what the others
 * had before. Servers are known by {@link Survivor#server}. Guarded by the lock of the {@link BlackBox}.
 *
 * <p>Positions cannot tell: one that has gone back is of a server that was reset, or restored from an older copy, at a
 * time when it may have lacked transactions from before the primary's reset, or from between two of them. They can
 * contradict an operator, though.
 */
final class BuiltAnew {
    private final Set<String> servers = new HashSet<>();
    /** By server, the last position of which all numbers are known to be those from before they began anew. */
    private final Map<String, Applied> before = new HashMap<>();
    /** Those whose replication has gone on since, and has skipped what has the numbers that they had. */
    private final Set<String> skipped = new HashSet<>();

    /** Called when the primary's numbers begin anew. */
    void begin() {
        servers.clear();
    }

    /** Returns whether an operator has spoken of no server since. */
    boolean isEmpty() {
        return servers.isEmpty();
    }

    /** Called with a server's position. Returns what it means. */
    Applied seen(String server, Applied applied, Histories histories) {
        boolean known = servers.contains(server) || wroteAll(server, histories);
        Applied old = before.get(server);
        if (known || isOfBefore(applied, old, histories)) {
            before.put(server, applied);
            old = applied;
        } else if (old != null && hasMore(applied, old, histories)) {
            skipped.add(server);
        }
        return new Renumbered(applied, old == null ? applied : old, known);
    }

    /**
     * Called when a server got transactions from before the numbers began anew.
     *
     * @param applied its position before that
     */
    void applied(String server, Applied applied, GtidNumbers numbers, Histories histories) {
        Applied old = before.get(server);
        if (old != null && !hasMore(applied, old, histories)) {
            before.put(server, new Brought(old, numbers));
            skipped.remove(server);
        }
    }

    /** A position, with numbers that the server got besides. */
    private record Brought(Applied position, GtidNumbers numbers) implements Applied {
        @Override
        public boolean has(Gtid gtid, History history) {
            return numbers.contains(gtid.source(), gtid.number()) || position.has(gtid, history);
        }

        @Override
        public GtidNumbers of(History history) {
            GtidNumbers all = new GtidNumbers();
            all.addAll(position.of(history));
            all.addAll(numbers);
            return all;
        }

        @Override
        public String beyond(History history) {
            return position.beyond(history);
        }
    }

    /** An old primary that comes back as a standby: its numbers are its own. */
    private static boolean wroteAll(String server, Histories histories) {
        boolean wrote = false;
        for (History each : histories) {
            if (each.isAnew() && !Survivor.isServerOf(server, each.facts)) {
                return false;
            }
            wrote |= each.isAnew();
        }
        return wrote;
    }

    /**
     * Returns whether a server's numbers are those from before: until the new ones have passed them. What goes on then
     * without having been built anew counts as what it was.
     */
    private static boolean isOfBefore(Applied applied, @Nullable Applied old, Histories histories) {
        GtidNumbers since = new GtidNumbers();
        History former = null;
        for (History each : histories) {
            if (each.isAnew()) {
                since.addAll(each.known());
            } else if (each.isBeforeReset()) {
                former = each;
            }
        }
        return former == null || !isPassed(old, former, since) && !isPassed(applied, former, since);
    }

    private static boolean hasMore(Applied applied, Applied old, Histories histories) {
        for (History each : histories) {
            if (each.isAnew() && !applied.of(each).minus(old.of(each)).isEmpty()) {
                return true;
            }
        }
        return false;
    }

    private static boolean isPassed(@Nullable Applied position, History former, GtidNumbers since) {
        return position != null && position.of(former).minus(since).isEmpty();
    }

    /**
     * Called when an operator says that the server has what its position counts.
     *
     * @param now what the primary says after the server was asked; null if it does not respond
     * @return whether that was in question
     * @throws IllegalArgumentException if its position contradicts
     */
    boolean compared(String server, Applied applied, Histories histories, @Nullable PrimaryFacts now) {
        boolean unknown = false;
        boolean empty = true;
        for (History each : histories) {
            empty &= applied.of(each).sources().stream().noneMatch(each::isOwn);
            if (isUnknown(server, each)) {
                unknown = true;
                check(server, applied, each, now);
            }
        }
        if (unknown && empty && skipped.contains(server)) {
            throw new IllegalArgumentException("its replication has gone on since the primary's numbers began anew"
                    + " (RESET MASTER), and has skipped some: which of those written since it has cannot be told."
                    + " Nothing is changed. Build it anew, or use another standby");
        }
        if (unknown && empty) {
            GtidNumbers lacking = lacking(server, histories);
            if (!lacking.isEmpty()) {
                throw new IllegalArgumentException("it was reset, and before that it lacked " + lacking.count()
                        + " transactions that the primary wrote before its own numbers began anew (RESET MASTER): "
                        + lacking
                        + ". Nothing is changed. understudy rescue --apply brings it those; then reset it again. If"
                        + " it was built anew: once its replication has brought something. docs/black-box.md, After"
                        + " RESET MASTER, has what to do");
            }
        }
        if (unknown) {
            servers.add(server);
            skipped.remove(server);
        }
        return unknown;
    }

    /** Returns whether the server's position has been seen while its numbers were those from before. */
    boolean isSeenBefore(String server) {
        return before.containsKey(server);
    }

    /** Returns what a server is known to lack of what was written before the numbers began anew for the last time. */
    GtidNumbers lacking(String server, Histories histories) {
        GtidNumbers lacking = new GtidNumbers();
        Applied old = before.get(server);
        for (History each : histories) {
            if (each.isBeforeReset() && (each.isAnew() || old != null)) {
                lacking.addAll(
                        each.isAnew() || old == null
                                ? each.known()
                                : each.known().minus(old.of(each)));
            }
        }
        return lacking;
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
        return history.isAnew() && !servers.contains(server) && !Survivor.isServerOf(server, history.facts);
    }
}
