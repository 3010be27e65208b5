package io.understudy.plugins.blackbox;

import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.servers.GtidNumbers;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
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

    /** Those of which an operator has spoken since the last reset. */
    private final Set<String> servers = new HashSet<>();
    /** By server of which an operator has ever spoken, the history whose numbers it has: it has all from before. */
    private final Map<String, Long> whole = new HashMap<>();
    /** By server, the last position of which all numbers are known to be those from before they began anew. */
    private final Map<String, Applied> before = new HashMap<>();
    /** The same at the time of the last reset. */
    private final Map<String, Applied> stood = new HashMap<>();
    /**
     * By server, a position that is such a one unless the primary turns out to have begun anew, or to have passed it.
     */
    private final Map<String, Applied> supposed = new HashMap<>();
    /** Those that were seen before the primary was asked. */
    private final Map<String, Applied> asked = new HashMap<>();
    /** Those whose replication has gone on since, and has skipped what has the numbers that they had. */
    private final Set<String> skipped = new HashSet<>();

    /** Called when the primary's numbers begin anew. */
    void begin() {
        servers.clear();
        supposed.clear();
        asked.clear();
        stood.clear();
        stood.putAll(before);
    }

    /** Returns whether an operator has spoken of no server since. */
    boolean isEmpty() {
        return servers.isEmpty();
    }

    /**
     * Called with a server's position. Returns what it means.
     *
     * @param gone whether the primary does not respond, and sends nothing: then a position moves by what was received,
     *     or brought, before
     */
    Applied seen(String server, Applied applied, Histories histories, boolean gone) {
        boolean known = servers.contains(server) || wroteAll(server, histories);
        History former = former(histories);
        if (known || former == null && gone) {
            before.put(server, applied);
        } else if (former == null) {
            supposed.put(server, applied);
        } else {
            seenOfBefore(server, applied, former, histories, gone);
        }
        return new Renumbered(
                applied, before.getOrDefault(server, applied), known, whole.getOrDefault(server, Long.MIN_VALUE));
    }

    private void seenOfBefore(String server, Applied applied, History former, Histories histories, boolean gone) {
        GtidNumbers numbers = own(applied, former);
        Applied old = before.get(server);
        boolean passed = isPassed(old, former, since(histories)) || isPassed(applied, former, since(histories));
        if (numbers.isEmpty()) {
            return; // reset
        }
        GtidNumbers had = old == null ? new GtidNumbers() : own(old, former);
        if (!numbers.minus(former.known()).minus(had).isEmpty()) {
            skipped.add(server); // those can be later ones alone
        } else if (gone && (!passed || old != null && had.minus(numbers).isEmpty())) {
            before.put(server, applied); // it gets nothing from the primary
        } else if (!passed) {
            supposed.put(server, applied);
        } else if (old != null && !numbers.minus(had).isEmpty()) {
            skipped.add(server);
        }
    }

    /** Called when the primary is to be asked: of positions that are seen from now on its answer tells nothing. */
    void asking() {
        asked.clear();
        asked.putAll(supposed);
        supposed.clear();
    }

    /** Called with what the primary has written, if that does not tell that its numbers have begun anew. */
    void written(PrimaryFacts facts, Histories histories) {
        History former = former(histories);
        History of = former == null ? histories.present() : former;
        if (of != null && of.facts.sameServer(facts)) {
            GtidNumbers since = former == null ? new GtidNumbers() : of.own(History.written(facts));
            asked.forEach((server, position) -> {
                if (!isPassed(before.get(server), of, since) && !isPassed(position, of, since)) {
                    before.put(server, position);
                }
            });
        }
        asked.clear();
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

    /** Returns the last history before the numbers began anew for the first time; null if they did not. */
    private static @Nullable History former(Histories histories) {
        History former = null;
        for (History each : histories) {
            former = each.isBeforeReset() && !each.isAnew() ? each : former;
        }
        return former;
    }

    private static GtidNumbers since(Histories histories) {
        GtidNumbers since = new GtidNumbers();
        for (History each : histories) {
            if (each.isAnew()) {
                since.addAll(each.known());
            }
        }
        return since;
    }

    /** Returns whether a position's last number of one of the streams is among those that were written since. */
    private static boolean isPassed(@Nullable Applied position, History former, GtidNumbers since) {
        if (position == null) {
            return false;
        }
        GtidNumbers numbers = own(position, former);
        return since.sources().stream()
                .anyMatch(source -> since.contains(source, numbers.lastUpTo(source, Long.MAX_VALUE)));
    }

    /** A standby may have written some itself. */
    private static GtidNumbers own(Applied position, History of) {
        return of.own(position.of(of));
    }

    /**
     * Called when an operator says that the server has what its position counts.
     *
     * @param now what the primary says after the server was asked; null if it does not respond
     * @return whether that was in question
     * @throws IllegalArgumentException if its position contradicts
     */
    boolean compared(String server, Applied applied, Histories histories, @Nullable PrimaryFacts now) {
        boolean empty = true;
        History unknown = null;
        for (History each : histories) {
            empty &= own(applied, each).isEmpty();
            if (isUnknown(server, each)) {
                unknown = each;
                check(server, applied, each, now, histories);
            }
        }
        if (unknown == null) {
            return false;
        }
        if (empty) {
            checkReset(server, histories);
        }
        servers.add(server);
        whole.put(server, unknown.number);
        skipped.remove(server);
        return true;
    }

    private void check(
            String server, Applied applied, History history, @Nullable PrimaryFacts now, Histories histories) {
        GtidNumbers known = history.known();
        GtidNumbers numbers = own(applied, history);
        GtidNumbers ahead = numbers.minus(known);
        if (now != null && history.facts.sameServer(now)) {
            ahead = ahead.minus(History.written(now));
        }
        boolean still = !known.isEmpty()
                && !numbers.isEmpty()
                && (isAt(stood.get(server), numbers, history)
                        || former(histories) != null && isAt(before.get(server), numbers, history));
        if (still || !ahead.isEmpty()) {
            throw new IllegalArgumentException("its position "
                    + (still ? "is still that of before" : "counts numbers that the primary has not written since")
                    + " the primary's numbers began anew (RESET MASTER), so it is not what was compared or built anew."
                    + " Nothing is changed." + DOCUMENT);
        }
    }

    private static boolean isAt(@Nullable Applied position, GtidNumbers numbers, History history) {
        GtidNumbers other = position == null ? new GtidNumbers() : own(position, history);
        return numbers.minus(other).isEmpty() && other.minus(numbers).isEmpty();
    }

    /** One that was reset itself gets all that was written since, and nothing from before. */
    private void checkReset(String server, Histories histories) {
        if (skipped.contains(server)) {
            throw new IllegalArgumentException("its replication has gone on since the primary's numbers began anew"
                    + " (RESET MASTER), and has skipped some: which of those written since it has cannot be told."
                    + " Nothing is changed. Build it anew, or use another standby");
        }
        for (History each : histories) {
            GtidNumbers lacking = lacking(server, each);
            if (!lacking.isEmpty()) {
                throw new IllegalArgumentException("it was reset, and before that it lacked " + lacking.count()
                        + " transactions that the primary wrote "
                        + (each.isAnew()
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
    private GtidNumbers lacking(String server, History history) {
        Applied old = before.get(server);
        boolean counts = history.isBeforeReset() && history.number >= whole.getOrDefault(server, Long.MIN_VALUE);
        if (!counts || old == null && !history.isAnew()) {
            return new GtidNumbers();
        }
        return old == null || history.isAnew()
                ? history.known()
                : history.known().minus(old.of(history));
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
        if (skipped.contains(server)) {
            return "its replication has gone on since, and has skipped some";
        }
        for (History each : histories) {
            GtidNumbers lacking = lacking(server, each);
            if (!lacking.isEmpty()) {
                return "it lacked " + lacking.count() + " of them (" + lacking + ")";
            }
        }
        return isSeenBefore(server)
                ? "it had all of them"
                : "what it had of them is not known: this proxy has seen no position of it that tells";
    }

    /** Returns whether the server's position has been seen while its numbers were those from before. */
    boolean isSeenBefore(String server) {
        return before.containsKey(server);
    }

    /** Returns whether the server may have transactions of a history whose numbers began anew, or not. */
    boolean isUnknown(String server, History history) {
        return history.isAnew() && !servers.contains(server) && !Survivor.isServerOf(server, history.facts);
    }
}
