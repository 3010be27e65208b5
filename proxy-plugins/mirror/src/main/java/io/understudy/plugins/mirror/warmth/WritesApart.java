package io.understudy.plugins.mirror.warmth;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The primary's page reads per query without those of its writes, by {@link PageSplit}. Both servers' counters are read
 * at the same time, so that what the load does to both cancels out. The median of the last windows. Written by one
 * thread; {@link #perQuery} and {@link #compared} may be called by any.
 */
public final class WritesApart {
    private static final int WINDOWS = 7;
    /** Queries a second that are not the mirror's: those of the proxy's monitor and probes, with room. */
    private static final double OTHERS = 50;

    private static final int FEWEST_SELECTS = 20;
    /** Page reads of a window that tell whether the pool still fills. */
    private static final int FEWEST_READS = 20;
    /** Share of the primary's pages: a pool that lacks more of them is not full. */
    private static final double CLEARLY = 0.25;

    private static final long STALE_NANOS = 300_000_000_000L;

    /**
     * Statements that a standby has executed for the mirror in all.
     *
     * @param queries as those of which some are probes
     * @param lookups of writes, whose pages are the writes' too, and what else is no probe
     */
    public record Executed(long queries, long lookups) {
        /** Returns the number of both. */
        public long all() {
            return queries + lookups;
        }
    }

    /** Both servers at one moment. */
    record Reading(ServerCounters primary, ServerCounters standby, Executed executed, long nanos) {
        boolean follows(Reading before) {
            return nanos > before.nanos && primary.follows(before.primary) && standby.follows(before.standby);
        }
    }

    private final Deque<PageSplit> windows = new ArrayDeque<>();
    private @Nullable Reading last;
    private long addedNanos;
    /** Statements of the load, and those that reached the standby, in the time that its pool keeps a page. */
    private double statements;

    private double reached;
    /**
     * Whether the standby's pool grows by what is read, null before that is seen: one that is full of other pages lacks
     * none by number.
     */
    private @Nullable Boolean filling;

    private volatile Estimate perQuery = Estimate.UNKNOWN;
    private volatile Compared shown = Compared.UNKNOWN;

    /**
     * Takes a reading.
     *
     * @param cold page reads of a query on the standby
     */
    void saw(Reading now, PagesPerQuery cold) {
        Reading before = last;
        last = now;
        boolean restarted = before != null && !now.follows(before);
        if (restarted) {
            statements = 0;
            reached = 0;
            filling = null;
        }
        if (restarted || now.nanos() - addedNanos > STALE_NANOS) {
            forget();
            addedNanos = now.nanos();
        }
        if (before != null && !restarted) {
            window(before, now, cold);
        }
        shown = compared(now);
    }

    private void window(Reading before, Reading now, PagesPerQuery cold) {
        double seconds = (now.nanos() - before.nanos()) / 1e9;
        double selects = now.primary().selects() - before.primary().selects();
        double queries = now.executed().queries() - before.executed().queries();
        double mirrored = now.executed().all() - before.executed().all();
        double others = now.standby().selects() - before.standby().selects() - mirrored;
        double primary = now.primary().pageReadsSince(before.primary());
        double standby = now.standby().pageReadsSince(before.standby());
        if (Double.isNaN(primary) || Double.isNaN(standby)) {
            return;
        }
        if (standby >= FEWEST_READS) {
            filling = (double) (now.standby().pages() - before.standby().pages()) >= standby / 2;
        }
        // A page that is read takes the place of one in the pool.
        double kept = Math.exp(-standby / Math.max(1, now.standby().pages()));
        double writes = now.primary().writes() - before.primary().writes();
        statements = kept * statements + selects + writes;
        reached = kept * reached + Math.min(queries, selects) + writes;
        if (others > OTHERS * seconds + mirrored || !cold.known() || selects < FEWEST_SELECTS) {
            return;
        }
        addedNanos = now.nanos();
        double applier = Math.max(0, standby - queries * cold.mirrored());
        windows.add(PageSplit.of(primary / selects, applier / selects, cold.load(), reached / statements));
        if (windows.size() > WINDOWS) {
            windows.remove();
        }
        perQuery = estimate();
    }

    /** Called when the standby was behind, so that what was read since the last reading cannot be compared. */
    void skip() {
        last = null;
    }

    /** Called when a server did not respond: it may be another one that responds next. */
    void sawNothing() {
        last = null;
        shown = Compared.UNKNOWN;
        forget();
    }

    private void forget() {
        windows.clear();
        perQuery = Estimate.UNKNOWN;
    }

    private Estimate estimate() {
        double[] queries = sorted(PageSplit::queries);
        double median = Estimate.quantile(queries, 0.5);
        double margin = Estimate.Z * Estimate.medianError(queries);
        double low = Math.min(median, Estimate.quantile(sorted(PageSplit::low), 0.5));
        double high = Math.max(median, Estimate.quantile(sorted(PageSplit::high), 0.5));
        return new Estimate(median, Math.max(0, low - margin), high + margin, queries.length);
    }

    private double[] sorted(ToDoubleFunction<PageSplit> value) {
        return windows.stream().mapToDouble(value).sorted().toArray();
    }

    /** Returns the pages, unknown without counters or probes, and if others have queried the standby for minutes. */
    public Estimate perQuery() {
        return perQuery;
    }

    private Compared compared(Reading now) {
        double lacking = (double) (now.primary().pages() - now.standby().pages());
        Boolean seen = filling;
        boolean fills = seen == null ? lacking > CLEARLY * now.primary().pages() : seen;
        double missing = fills ? lacking : Double.NaN;
        double applier = windows.isEmpty() ? 0 : Estimate.quantile(sorted(PageSplit::applier), 0.5);
        return new Compared(perQuery, missing, now.executed().all(), applier);
    }

    /** Returns the pages per query, how many more pages the primary has in memory, and what the applier reads. */
    public Compared compared() {
        return shown;
    }
}
