package io.understudy.plugins.blackbox.reset;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.blackbox.history.Applied;
import io.understudy.plugins.blackbox.history.Histories;
import io.understudy.plugins.blackbox.history.History;
import io.understudy.plugins.blackbox.history.Renumbered.Epoch;
import io.understudy.plugins.blackbox.history.Survivor;
import io.understudy.plugins.blackbox.log.LogStart;
import io.understudy.plugins.blackbox.reset.Receivers.Receipt;
import io.understudy.servers.GtidNumbers;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The last position of each server at which all its numbers were those of its epoch. Once the primary's numbers have
 * begun anew (RESET MASTER), replication may go on and skip what has a number that the server knows. So a position
 * counts if the primary, asked after it, has not written so many numbers anew; or if the server has received nothing
 * since, or nothing sends. Servers are known by {@link Survivor#server}. Guarded by the lock of the black box.
 */
final class LastPositions {
    /** @param received see {@link Receipt} */
    private record Sighting(Applied applied, String received) {
        private LogStart.Seen forLog() {
            return new LogStart.Seen(received, applied.text());
        }
    }

    private final Histories histories;
    private final Map<String, Sighting> last = new HashMap<>();
    /** The same at the time of the last reset. */
    private final Map<String, Sighting> stood = new HashMap<>();
    /** Those that a log has, until the server is seen again. */
    private final Map<String, Sighting> restored = new HashMap<>();
    /** Those that count unless the primary turns out to have begun anew, or to have passed them. */
    private final Map<String, Sighting> supposed = new HashMap<>();
    /** Those of them that were seen before the primary was asked. */
    private final Map<String, Sighting> asked = new HashMap<>();
    /** Those whose replication has gone on since, and has skipped what has the numbers that they had. */
    private final Set<String> skipped = new HashSet<>();
    /** Those that had some of the numbers of their epoch, and have none now. */
    private final Set<String> emptied = new HashSet<>();

    LastPositions(Histories histories) {
        this.histories = histories;
    }

    /** Called when the primary's numbers begin anew. */
    void begin() {
        supposed.clear();
        asked.clear();
        stood.clear();
        stood.putAll(last);
    }

    /** Called when nothing that was seen counts: numbers had begun anew before it, or a log is restored. */
    void clear() {
        last.clear();
        restored.clear();
        begin();
        skipped.clear();
        emptied.clear();
    }

    /**
     * Called with a server's position.
     *
     * @param receipt asked behind the position
     * @param gone whether the primary does not respond: unless it sends to the server nevertheless, a position moves by
     *     what was received, or brought, before
     */
    void seen(String server, Applied applied, Receipt receipt, boolean gone, Epoch epoch) {
        boolean still = gone && receipt.isNothing();
        History former = epoch.last();
        restore(server, applied, receipt, epoch);
        if (epoch.isPast()) {
            if (former != null && !isReset(numbers(applied, epoch), lastNumbers(server, epoch))) {
                seenOfBefore(server, applied, receipt, still, former, since(epoch));
            }
        } else if (isEmptied(server, applied, epoch)) {
            emptied.add(server);
        } else {
            emptied.remove(server);
            (still ? last : supposed).put(server, new Sighting(applied, receipt.received()));
        }
    }

    /**
     * Lets a position from a log count if the server is still there, or has had all, or has applied what it had
     * received: what it did while nobody looked may be anything else.
     */
    private void restore(String server, Applied applied, Receipt receipt, Epoch epoch) {
        Sighting old = restored.get(server);
        if (old == null || !epoch.isPast() || last.containsKey(server)) {
            restored.remove(server);
            return;
        }
        GtidNumbers had = numbers(old.applied, epoch);
        GtidNumbers has = numbers(applied, epoch);
        boolean all = epoch.last() != null;
        for (History each : histories) {
            boolean its = each.isBeforeReset() && !epoch.isAfter(each) && !epoch.isBefore(each);
            all &= !its || each.known().minus(old.applied.of(each)).isEmpty();
        }
        if (!all && receipt.received().isEmpty()) {
            return; // it did not say, and may with the next probe
        }
        restored.remove(server);
        boolean same = receipt.isNothing() && receipt.received().equals(old.received);
        boolean further = had.minus(has).isEmpty();
        if (all && (further || isReset(has, had))
                || further && (same || has.minus(had).isEmpty())) {
            last.put(server, old);
        }
    }

    /** Returns whether a server has none of its first numbers: on MySQL it may have been brought some since. */
    private static boolean isReset(GtidNumbers numbers, GtidNumbers had) {
        boolean[] first = new boolean[1];
        had.forEach((source, ranges) ->
                first[0] |= numbers.contains(source, ranges.get(0).first()));
        return numbers.isEmpty() || !had.isEmpty() && !first[0];
    }

    private void seenOfBefore(
            String server, Applied applied, Receipt receipt, boolean still, History former, GtidNumbers since) {
        Sighting now = new Sighting(applied, receipt.received());
        Sighting old = last.get(server);
        GtidNumbers numbers = own(applied, former);
        GtidNumbers had = old == null ? new GtidNumbers() : own(old.applied, former);
        boolean passed = isPassed(old, former, since) || isPassed(now, former, since);
        boolean grown = old != null && !numbers.minus(had).isEmpty();
        boolean further = old != null && had.minus(numbers).isEmpty();
        boolean same = old != null && receipt.isNothing() && receipt.received().equals(old.received);
        if (!numbers.minus(former.known()).minus(had).isEmpty()) {
            skipped.add(server); // those can be later ones alone
        } else if (same || still && (old == null ? receipt.refused() : !passed || further)) {
            if (old != null && !further) {
                last.remove(server); // it was restored from an older copy, or built anew
            } else {
                last.put(server, now);
            }
        } else if (!passed) {
            supposed.put(server, now);
        } else if (grown && receipt.receives()) {
            skipped.add(server);
        }
    }

    /**
     * Called when a server was brought transactions from before: it has them besides what it had, also if it was reset
     * in between.
     *
     * @param applied its position then
     */
    void brought(String server, Applied applied, GtidNumbers numbers, Epoch epoch) {
        Sighting old = last.get(server);
        History former = epoch.last();
        if (epoch.isPast() && old != null && former != null) {
            GtidNumbers had = own(old.applied, former);
            GtidNumbers has = own(applied, former);
            if (has.minus(had).minus(numbers).isEmpty()) {
                last.put(server, new Sighting(old.applied.and(applied), old.received));
            }
        }
    }

    /** Called when the primary is to be asked: of positions that are seen from now on its answer tells nothing. */
    void asking() {
        asked.clear();
        asked.putAll(supposed);
        supposed.clear();
    }

    /** Called with what the primary has written, if that does not tell that its numbers have begun anew. */
    void written(String server, PrimaryFacts facts, Epoch epoch) {
        Sighting position = asked.remove(server);
        History of = epoch.isPast() ? epoch.last() : histories.present();
        if (position != null && of != null && of.facts.sameServer(facts)) {
            GtidNumbers since = epoch.isPast() ? of.own(History.written(facts)) : new GtidNumbers();
            if (!isPassed(last.get(server), of, since) && !isPassed(position, of, since)) {
                last.put(server, position);
            }
        }
    }

    /** Returns the servers of which the primary's answer will tell something. */
    Set<String> asked() {
        return Set.copyOf(asked.keySet());
    }

    /** Called when an operator says that the server has what its position counts. */
    void compared(String server, Applied applied) {
        last.put(server, new Sighting(applied, ""));
        restored.remove(server);
        skipped.remove(server);
        emptied.remove(server);
    }

    /** Returns the server's last position that counts; null if none was seen. */
    @Nullable
    Applied of(String server) {
        Sighting known = last.get(server);
        return known == null ? null : known.applied;
    }

    /** Returns whether the numbers are those that the server had when it was last seen, or at the reset. */
    boolean isStill(String server, GtidNumbers numbers, History history) {
        return isAt(stood.get(server), numbers, history) || isAt(last.get(server), numbers, history);
    }

    private static boolean isAt(@Nullable Sighting position, GtidNumbers numbers, History history) {
        GtidNumbers other = position == null ? new GtidNumbers() : own(position.applied, history);
        return numbers.minus(other).isEmpty() && other.minus(numbers).isEmpty();
    }

    /**
     * Returns what counts of servers behind whose numbers a reset is, for a log: nothing of those that skipped some.
     */
    Map<String, LogStart.Seen> forLog(Predicate<String> past) {
        Map<String, LogStart.Seen> all = new HashMap<>();
        restored.forEach((server, each) -> {
            if (past.test(server)) {
                all.put(server, each.forLog());
            }
        });
        last.forEach((server, each) -> {
            if (past.test(server) && !skipped.contains(server)) {
                all.put(server, each.forLog());
            }
        });
        return all;
    }

    /** Called with what a log has. */
    void restore(Map<String, LogStart.Seen> seen, ServerFlavor flavor) {
        restored.clear();
        seen.forEach((server, each) ->
                restored.put(server, new Sighting(Applied.of(flavor, each.applied(), ""), each.received())));
    }

    /** Returns whether its replication has gone on behind the primary's numbers, and has skipped some. */
    boolean hasSkipped(String server) {
        return skipped.contains(server);
    }

    /** Returns whether the server was seen to have none of the numbers of its epoch any more. */
    boolean isEmptied(String server) {
        return emptied.contains(server);
    }

    /** Returns whether a server that had some of the numbers of its epoch has none now, where numbers began anew. */
    boolean isEmptied(String server, Applied applied, Epoch epoch) {
        return epoch.isLater()
                && numbers(applied, epoch).isEmpty()
                && !lastNumbers(server, epoch).isEmpty();
    }

    /** Returns the numbers of its epoch that a server had at its last position. */
    GtidNumbers lastNumbers(String server, Epoch epoch) {
        Sighting old = last.get(server);
        return old == null ? new GtidNumbers() : numbers(old.applied, epoch);
    }

    private GtidNumbers numbers(Applied position, Epoch epoch) {
        GtidNumbers all = new GtidNumbers();
        for (History each : histories) {
            if (!epoch.isAfter(each) && !epoch.isBefore(each)) {
                all.addAll(own(position, each));
            }
        }
        return all;
    }

    private GtidNumbers since(Epoch epoch) {
        GtidNumbers since = new GtidNumbers();
        for (History each : histories) {
            if (epoch.isBefore(each)) {
                since.addAll(each.known());
            }
        }
        return since;
    }

    /** Returns whether a position's last number of one of the streams is among those that were written since. */
    private static boolean isPassed(@Nullable Sighting position, History former, GtidNumbers since) {
        if (position == null) {
            return false;
        }
        GtidNumbers numbers = own(position.applied, former);
        return since.sources().stream()
                .anyMatch(source -> since.contains(source, numbers.lastUpTo(source, Long.MAX_VALUE)));
    }

    /** A standby may have written some itself. */
    static GtidNumbers own(Applied position, History of) {
        return of.own(position.of(of));
    }
}
