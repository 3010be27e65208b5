package io.understudy.plugins.mirror.warmth;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The primary's page reads per query without those of its writes. The counters do not tell them apart, but the
 * standby's applier makes the same changes, and so reads about the same pages: all that is read there but by the
 * mirrored statements. Both servers' counters are read at the same time, so that what the load does to both cancels
 * out. The median of the last windows. Written by one thread; {@link #perQuery} may be called by any.
 */
public final class WritesApart {
    private static final int WINDOWS = 7;
    /** Queries a second that are not the mirror's: those of the proxy's monitor and probes, with room. */
    private static final double OTHERS = 50;

    private static final int FEWEST_SELECTS = 20;
    private static final long STALE_NANOS = 300_000_000_000L;

    /**
     * Both servers at one moment.
     *
     * @param executed statements that the standby has executed for the mirror in all
     */
    record Reading(ServerCounters primary, ServerCounters standby, long executed, long nanos) {
        boolean follows(Reading before) {
            return nanos > before.nanos
                    && primary.uptimeSeconds() >= before.primary.uptimeSeconds()
                    && primary.pageReads() >= before.primary.pageReads()
                    && standby.uptimeSeconds() >= before.standby.uptimeSeconds()
                    && standby.pageReads() >= before.standby.pageReads();
        }
    }

    private final Deque<Double> windows = new ArrayDeque<>();
    private @Nullable Reading last;
    private long addedNanos;
    private volatile Estimate perQuery = Estimate.UNKNOWN;
    private volatile @Nullable Reading shown;

    /**
     * Takes a reading.
     *
     * @param coldPages page reads of a mirrored statement on the standby, or NaN
     */
    void saw(Reading now, double coldPages) {
        Reading before = last;
        last = now;
        shown = now;
        boolean restarted = before != null && !now.follows(before);
        if (restarted || now.nanos() - addedNanos > STALE_NANOS) {
            forget();
            addedNanos = now.nanos();
        }
        if (before == null || restarted) {
            return;
        }
        double seconds = (now.nanos() - before.nanos()) / 1e9;
        long selects = now.primary().selects() - before.primary().selects();
        double mirrored = now.executed() - before.executed();
        double others = now.standby().selects() - before.standby().selects() - mirrored;
        if (others > OTHERS * seconds + mirrored || Double.isNaN(coldPages) || selects < FEWEST_SELECTS) {
            return;
        }
        double applier = now.standby().pageReads() - before.standby().pageReads() - mirrored * coldPages;
        double all = now.primary().pageReads() - before.primary().pageReads();
        addedNanos = now.nanos();
        windows.add((all - Math.max(0, applier)) / selects);
        if (windows.size() > WINDOWS) {
            windows.remove();
        }
        perQuery = median();
    }

    /** Called when the standby was behind, so that what was read since the last reading cannot be compared. */
    void skip() {
        last = null;
    }

    /** Called when a server did not respond: it may be another one that responds next. */
    void sawNothing() {
        last = null;
        shown = null;
        forget();
    }

    private void forget() {
        windows.clear();
        perQuery = Estimate.UNKNOWN;
    }

    private Estimate median() {
        double[] sorted =
                windows.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        double median = Math.max(0, Medians.quantile(sorted, 0.5));
        double margin = Estimate.Z * Medians.error(sorted);
        return new Estimate(median, Math.max(0, median - margin), median + margin, sorted.length);
    }

    /** Returns the pages, unknown without counters or probes, and if others have queried the standby for minutes. */
    public Estimate perQuery() {
        return perQuery;
    }

    /** Returns the pages per query, and how many more pages the primary has in memory than the standby. */
    public Compared compared() {
        Reading now = shown;
        return now == null
                ? new Compared(perQuery, Double.NaN, 0)
                : new Compared(
                        perQuery,
                        (double) (now.primary().pages() - now.standby().pages()),
                        now.executed());
    }
}
