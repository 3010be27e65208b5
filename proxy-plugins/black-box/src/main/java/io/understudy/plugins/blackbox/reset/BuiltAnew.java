package io.understudy.plugins.blackbox.reset;

import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.blackbox.history.Applied;
import io.understudy.plugins.blackbox.history.Histories;
import io.understudy.plugins.blackbox.history.History;
import io.understudy.plugins.blackbox.history.Renumbered;
import io.understudy.plugins.blackbox.history.Renumbered.Epoch;
import io.understudy.plugins.blackbox.history.Survivor;
import io.understudy.plugins.blackbox.log.LogStart;
import io.understudy.plugins.blackbox.reset.Receivers.Receipt;
import io.understudy.servers.GtidNumbers;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * What servers have where the primary's numbers began anew (RESET MASTER): which of them an operator says were built
 * anew since, or compared with it, so that their numbers denote the primary's later transactions; and what the others
 * had before. Servers are known by {@link Survivor#server}. Guarded by the lock of the black box.
 *
 * <p>Positions cannot tell: one that has gone back is of a server that was reset, or restored from an older copy, at a
 * time when it may have lacked transactions from before the primary's reset, or from between two of them. They can
 * contradict an operator, though.
 */
public final class BuiltAnew {
    private static final String DOCUMENT = " docs/black-box.md, After RESET MASTER, has what to do";

    /** By server that an operator has compared, the history whose numbers it has: it has all from before. */
    private final Map<String, Long> whole = new HashMap<>();

    private final Histories histories;
    private final LastPositions positions;
    /** Whether an operator has compared any server since the last reset. */
    private boolean compared;

    public BuiltAnew(Histories histories) {
        this.histories = histories;
        positions = new LastPositions(histories);
    }

    /** Called when the primary's numbers begin anew. */
    void begin() {
        compared = false;
        positions.begin();
    }

    /** See {@link LastPositions#clear}. */
    public void clear() {
        positions.clear();
    }

    /** Returns whether an operator has compared no server since. */
    boolean isNoneCompared() {
        return !compared;
    }

    /** See {@link LastPositions#seen}. */
    public void seen(String server, Applied applied, Receipt receipt, boolean gone) {
        positions.seen(server, applied, receipt, gone, epoch(server));
    }

    /** See {@link LastPositions#brought}. */
    public void brought(String server, Applied applied, GtidNumbers numbers) {
        positions.brought(server, applied, numbers, epoch(server));
    }

    /** Adds what operators have said of servers, and where these stood, for a log. */
    public LogStart addTo(LogStart start, Set<String> unknown) {
        return start.with(
                Map.copyOf(whole), positions.forLog(server -> epoch(server).isPast()), unknown);
    }

    /** Called with what a log has of it. */
    public void restore(LogStart start) {
        whole.clear();
        whole.putAll(start.compared());
        positions.restore(start.seen(), start.facts().flavor());
    }

    /** Returns what a position means. */
    public Renumbered meaning(String server, Applied applied) {
        Applied last = positions.of(server);
        return new Renumbered(server, applied, last == null ? applied : last, epoch(server));
    }

    /** See {@link LastPositions#asking}. */
    public void asking() {
        positions.asking();
    }

    /** See {@link LastPositions#written}. */
    public void written(PrimaryFacts facts) {
        positions.asked().forEach(each -> positions.written(each, facts, epoch(each)));
    }

    /** An old primary that comes back as a standby has the numbers that it wrote, if it had all from before. */
    private Epoch epoch(String server) {
        long first = whole.getOrDefault(server, Long.MIN_VALUE);
        long next = Long.MAX_VALUE;
        for (Histories.Reset each : histories.resets()) {
            if (each.number() > first) {
                if (!Survivor.isServerOf(server, each.facts())) {
                    next = each.number();
                    break;
                }
                first = each.number();
            }
        }
        History last = null;
        for (History each : histories) {
            last = each.number >= first && each.number < next ? each : last;
        }
        return new Epoch(first, next, last);
    }

    /**
     * Called when an operator says that the server has what its position counts.
     *
     * @param now what the primary says after the server was asked; null if it does not respond
     * @param look whether nothing is to change
     * @return whether that was in question
     * @throws IllegalArgumentException if its position contradicts
     */
    public boolean compared(String server, Applied applied, @Nullable PrimaryFacts now, boolean look) {
        Epoch epoch = epoch(server);
        for (History each : histories) {
            if (epoch.isBefore(each) && each.isAnew()) {
                check(server, applied, each, now);
            }
        }
        if (!epoch.isPast() && positions.isEmptied(server, applied, epoch)) {
            throw new IllegalArgumentException("it had " + positions.lastNumbers(server, epoch)
                    + " of what the primary wrote since its numbers began anew (RESET MASTER), and was reset behind"
                    + " that: its tables have them, and its position does not. Nothing is changed. Set its position to"
                    + " those numbers again (gtid_slave_pos; MySQL: gtid_purged)");
        }
        if (!epoch.isPast()) {
            return false;
        }
        boolean reset = isReset(applied);
        if (reset) {
            checkReset(server, epoch);
        }
        if (look) {
            return true;
        }
        // One that was reset itself has all up to the next reset of the primary, and nothing of what follows.
        long last = histories.resets().stream()
                .mapToLong(Histories.Reset::number)
                .max()
                .orElse(epoch.next());
        whole.put(server, reset ? epoch.next() : last);
        positions.compared(server, applied);
        compared = true;
        return true;
    }

    /** Returns whether a position has none of the primaries' numbers; it may have some of its own. */
    public boolean isReset(Applied applied) {
        for (History each : histories) {
            if (!LastPositions.own(applied, each).isEmpty()) {
                return false;
            }
        }
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
    private void checkReset(String server, Epoch epoch) {
        if (positions.hasSkipped(server)) {
            throw new IllegalArgumentException("its replication has gone on since the primary's numbers began anew"
                    + " (RESET MASTER), and has skipped some: which of those written since it has cannot be told."
                    + " Nothing is changed. Build it anew, or use another standby");
        }
        for (History each : histories) {
            GtidNumbers lacking = bringable(server, each, epoch);
            if (!lacking.isEmpty()) {
                throw new IllegalArgumentException("it was reset, and before that it lacked " + lacking.count()
                        + " transactions that the primary wrote before its own numbers began anew (RESET MASTER): "
                        + lacking + ". Nothing is changed. understudy rescue --apply brings it those; then reset it"
                        + " again. If it was built anew: wait until it has replicated a transaction, and repeat this."
                        + DOCUMENT);
            }
        }
    }

    /** Returns what a server lacks of a history of its epoch, as far as that is known. */
    private GtidNumbers lacking(String server, History history, Epoch epoch) {
        Applied old = positions.of(server);
        return old == null || !history.isBeforeReset() || epoch.isAfter(history) || epoch.isBefore(history)
                ? new GtidNumbers()
                : history.known().minus(old.of(history));
    }

    /** Returns what of that a rescue can bring to it. */
    private GtidNumbers bringable(String server, History history, Epoch epoch) {
        GtidNumbers lacking = lacking(server, history, epoch);
        lacking.removeAll(lacking.minus(history.keptNumbers()));
        return lacking;
    }

    /** Returns what is known of a server that is at this position. */
    public Standing standing(String server, Applied applied) {
        boolean unknown = isUnknown(server);
        return new Standing(
                unknown,
                epoch(server).isLater() && !unknown,
                isSeenBefore(server),
                hadAll(server),
                positions.hasSkipped(server),
                ofBefore(server, applied));
    }

    private String ofBefore(String server, Applied applied) {
        Epoch epoch = epoch(server);
        StringJoiner ends = new StringJoiner(", ");
        for (History each : histories) {
            if (each.isBeforeReset() && !epoch.isAfter(each) && !epoch.isBefore(each)) {
                ends.add(each.readUpTo());
            }
        }
        return (epoch.isLater() ? "It was compared behind an earlier reset. " : "")
                + (ends.length() == 0 ? "" : "Before that they ended at " + ends + ", and " + had(server, applied));
    }

    private String had(String server, Applied applied) {
        if (positions.hasSkipped(server)) {
            return "its replication has gone on since, and has skipped some";
        }
        GtidNumbers lacking = lacking(server);
        Epoch epoch = epoch(server);
        boolean bring = false;
        for (History each : histories) {
            bring |= !bringable(server, each, epoch).isEmpty();
        }
        String next = ": step " + (bring ? 1 : isReset(applied) ? 3 : 2) + " there";
        return !lacking.isEmpty()
                ? "it lacked " + lacking.count() + " of them (" + lacking
                        + (bring ? ")" : "), which this black box does not have") + next
                : hadAll(server)
                        ? "it had all of them" + next
                        : "what it had of them is not known: this proxy has seen no position of it that tells, or has"
                                + " forgotten what was written then";
    }

    private boolean hadAll(String server) {
        return isSeenBefore(server)
                && epoch(server).last() != null
                && lacking(server).isEmpty();
    }

    /** Returns what a server lacks of its epoch, if numbers have begun anew since, and as far as that is known. */
    public GtidNumbers lacking(String server) {
        Epoch epoch = epoch(server);
        GtidNumbers all = new GtidNumbers();
        for (History each : histories) {
            all.addAll(lacking(server, each, epoch));
        }
        return all;
    }

    /** Returns whether the server's position has been seen while its numbers were those from before. */
    public boolean isSeenBefore(String server) {
        return positions.of(server) != null;
    }

    /** Returns whether numbers have begun anew behind those that the server has, or it has lost its own since. */
    public boolean isUnknown(String server) {
        return epoch(server).isPast() || positions.isEmptied(server);
    }

    /**
     * What is known of a server behind a reset of the primary (RESET MASTER).
     *
     * @param renumbered whether numbers have begun anew behind those that it has, or it has lost its own since
     * @param compared whether an operator has said that its position counts, where the numbers began anew, and it still
     *     does
     * @param seenBefore whether its position was seen while its numbers were those from before
     * @param hadAll whether it is known that it had all from before
     * @param skipped whether its replication has gone on behind the primary's numbers, and has skipped some
     * @param ofBefore where numbers ended before they began anew, what it had of them, and which step is next, for a
     *     report
     */
    public record Standing(
            boolean renumbered,
            boolean compared,
            boolean seenBefore,
            boolean hadAll,
            boolean skipped,
            String ofBefore) {}
}
