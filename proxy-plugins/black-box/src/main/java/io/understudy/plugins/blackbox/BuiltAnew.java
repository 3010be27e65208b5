package io.understudy.plugins.blackbox;

import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.servers.GtidNumbers;
import java.util.HashMap;
import java.util.Map;
import java.util.StringJoiner;
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
    private static final String DOCUMENT = " docs/black-box.md, After RESET MASTER, has what to do";

    /** By server of which an operator has spoken, the history whose numbers it has: it has all from before. */
    private final Map<String, Long> whole = new HashMap<>();

    private final LastPositions positions = new LastPositions();
    /** Whether an operator has spoken of any server since the last reset. */
    private boolean spoken;

    /** Called when the primary's numbers begin anew. */
    void begin() {
        spoken = false;
        positions.begin();
    }

    /** See {@link LastPositions#forget}. */
    void forget() {
        positions.forget();
    }

    /** Returns whether an operator has spoken of no server since. */
    boolean isEmpty() {
        return !spoken;
    }

    /** See {@link LastPositions#seen}. Returns what the position means. */
    Applied seen(String server, Applied applied, String received, Histories histories, boolean gone) {
        Epoch epoch = epoch(server, histories);
        positions.seen(server, applied, received, gone, epoch, histories);
        Applied last = positions.of(server);
        return new Renumbered(applied, last == null ? applied : last, epoch);
    }

    /** See {@link LastPositions#asking}. */
    void asking() {
        positions.asking();
    }

    /** See {@link LastPositions#written}. */
    void written(PrimaryFacts facts, Histories histories) {
        positions.asked().forEach(each -> positions.written(each, facts, epoch(each, histories), histories));
    }

    /** An old primary that comes back as a standby has the numbers that it wrote, if it had all from before. */
    private Epoch epoch(String server, Histories histories) {
        long first = whole.getOrDefault(server, Long.MIN_VALUE);
        long next = Long.MAX_VALUE;
        History last = null;
        for (History each : histories) {
            if (each.isAnew() && each.number > first) {
                if (!Survivor.isServerOf(server, each.facts)) {
                    next = each.number;
                    break;
                }
                first = each.number;
            }
            last = each.number < first ? null : each;
        }
        return new Epoch(first, next, last);
    }

    /**
     * Called when an operator says that the server has what its position counts.
     *
     * @param now what the primary says after the server was asked; null if it does not respond
     * @return whether that was in question
     * @throws IllegalArgumentException if its position contradicts
     */
    boolean compared(String server, Applied applied, Histories histories, @Nullable PrimaryFacts now) {
        Epoch epoch = epoch(server, histories);
        boolean empty = true;
        for (History each : histories) {
            empty &= LastPositions.own(applied, each).isEmpty();
            if (epoch.isBefore(each) && each.isAnew()) {
                check(server, applied, each, now);
            }
        }
        if (!epoch.isPast() && positions.isReset(server, applied, epoch, histories)) {
            throw new IllegalArgumentException("it had " + positions.had(server, epoch, histories)
                    + " of what the primary wrote since its numbers began anew (RESET MASTER), and was reset behind"
                    + " that: its tables have them, and its position does not. Nothing is changed. Set its position to"
                    + " those numbers again");
        }
        if (!epoch.isPast()) {
            return false;
        }
        if (empty) {
            checkReset(server, epoch, histories);
        }
        for (History each : histories) {
            if (each.isAnew()) {
                whole.put(server, each.number);
            }
        }
        positions.compared(server, applied);
        spoken = true;
        return true;
    }

    private void check(String server, Applied applied, History history, @Nullable PrimaryFacts now) {
        GtidNumbers known = history.known();
        GtidNumbers numbers = LastPositions.own(applied, history);
        GtidNumbers ahead = numbers.minus(known);
        if (now != null && history.facts.sameServer(now)) {
            ahead = ahead.minus(History.written(now));
        }
        boolean still = !known.isEmpty() && !numbers.isEmpty() && positions.isStill(server, numbers, history);
        if (still || !ahead.isEmpty()) {
            throw new IllegalArgumentException("its position "
                    + (still ? "is still that of before" : "counts numbers that the primary has not written since")
                    + " the primary's numbers began anew (RESET MASTER), so it is not what was compared or built anew."
                    + " Nothing is changed." + DOCUMENT);
        }
    }

    /** One that was reset itself gets all that was written since, and nothing from before. */
    private void checkReset(String server, Epoch epoch, Histories histories) {
        if (positions.hasSkipped(server)) {
            throw new IllegalArgumentException("its replication has gone on since the primary's numbers began anew"
                    + " (RESET MASTER), and has skipped some: which of those written since it has cannot be told."
                    + " Nothing is changed. Build it anew, or use another standby");
        }
        for (History each : histories) {
            boolean between = epoch.isBefore(each);
            GtidNumbers lacking = lacking(server, each, epoch);
            if (!between) {
                lacking.removeAll(each.notKept());
            }
            if (!lacking.isEmpty()) {
                throw new IllegalArgumentException("it was reset, and before that it lacked " + lacking.count()
                        + " transactions that the primary wrote "
                        + (between
                                ? "between two resets (RESET MASTER), and they cannot be brought to it: " + lacking
                                        + ". Nothing is changed. Build it anew, or use another standby."
                                : "before its own numbers began anew (RESET MASTER): " + lacking
                                        + ". Nothing is changed. understudy rescue --apply brings it those; then reset"
                                        + " it again.")
                        + " If it was built anew: wait until it has replicated a transaction, and repeat this."
                        + DOCUMENT);
            }
        }
    }

    /** Returns what a server lacks of a history whose numbers began anew behind it, as far as that is known. */
    private GtidNumbers lacking(String server, History history, Epoch epoch) {
        Applied old = positions.of(server);
        if (!history.isBeforeReset() || epoch.isBehind(history)) {
            return new GtidNumbers();
        }
        if (epoch.isBefore(history)) {
            return history.known();
        }
        return old == null ? new GtidNumbers() : history.known().minus(old.of(history));
    }

    /** Returns where numbers ended before they began anew, and what a server had of them, for a report. */
    String ofBefore(String server, Histories histories) {
        StringJoiner ends = new StringJoiner(", ");
        for (History each : histories) {
            if (each.isBeforeReset()) {
                ends.add(each.readUpTo());
            }
        }
        return ends.length() == 0 ? "" : "Before that they ended at " + ends + ", and " + had(server, histories);
    }

    private String had(String server, Histories histories) {
        if (hasSkipped(server)) {
            return "its replication has gone on since, and has skipped some";
        }
        GtidNumbers lacking = lacking(server, histories);
        return !lacking.isEmpty()
                ? "it lacked " + lacking.count() + " of them (" + lacking + ")"
                : isSeenBefore(server)
                        ? "it had all of them"
                        : "what it had of them is not known: this proxy has seen no position of it that tells";
    }

    /** Returns what a server lacks from before the numbers began anew behind it, as far as that is known. */
    GtidNumbers lacking(String server, Histories histories) {
        Epoch epoch = epoch(server, histories);
        GtidNumbers all = new GtidNumbers();
        for (History each : histories) {
            all.addAll(lacking(server, each, epoch));
        }
        return all;
    }

    /** See {@link LastPositions#hasSkipped}. */
    boolean hasSkipped(String server) {
        return positions.hasSkipped(server);
    }

    /** Returns whether the server's position has been seen while its numbers were those from before. */
    boolean isSeenBefore(String server) {
        return positions.of(server) != null;
    }

    /**
     * Returns whether an operator has said that its position counts, where the numbers began anew, and it still does.
     */
    boolean isCompared(String server, Histories histories) {
        return epoch(server, histories).isLater() && !isUnknown(server, histories);
    }

    /** Returns whether numbers have begun anew behind those that the server has, or it has lost its own since. */
    boolean isUnknown(String server, Histories histories) {
        return epoch(server, histories).isPast() || positions.isReset(server);
    }
}
