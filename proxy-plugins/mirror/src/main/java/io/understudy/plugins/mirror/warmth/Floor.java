package io.understudy.plugins.mirror.warmth;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The primary's own page reads per query: what even a warm server reads under this load. The median of the last
 * windows, so that a report or a backup that scans a table does not make a cold standby appear warm.
 *
 * <p>The counters are global and do not tell who read a page. {@link WritesApart} divides them between queries and
 * writes. While it knows nothing, a write counts as a statement that reads like a query, and the interval goes from no
 * reads of queries to none of writes. Written by one thread; the estimates may be called by any.
 */
public final class Floor {
    /** As many as the probes' half-life has, so that standby and primary are compared under the same load. */
    private static final int WINDOWS = 7;

    private static final int FEWEST_SELECTS = 20;
    /** Share of writes among all statements below which their reads are not told apart. */
    private static final double FEW_WRITES = 0.02;

    /** Time after a start from which on a pool that grows does so by new rows. */
    private static final long FILLING_NANOS = TimeUnit.HOURS.toNanos(1);

    /** Pages a query by which a pool may grow and count as full: it has all that the load reads. */
    private static final double FEW_PAGES = 0.02;

    /** As for probes: a floor of another hour is none of the present load. */
    private static final long STALE_NANOS = ProbeFigures.STALE_NANOS;

    /** Rates per second; {@code seconds} is the window's length, {@code nanos} its end. */
    private record Window(double pages, double selects, double writes, double seconds, long nanos) {
        double statements() {
            return (selects + writes) * seconds;
        }
    }

    private volatile ServerCounters.@Nullable Source source;
    private volatile List<Window> windows = List.of();
    private @Nullable ServerCounters last;
    private long lastNanos;
    private boolean interrupted;
    /** Until when its pool may still fill, as far as is seen. */
    private long fillingUntilNanos;

    private boolean succeeded;

    private volatile double selectsPerSecond = Double.NaN;
    private final AtomicInteger breaks = new AtomicInteger();
    private final LongAdder relayed = new LongAdder();
    private final LongAdder own = new LongAdder();

    /** Returns how to read the primary's counters, or null without {@code primary.monitor}. */
    ServerCounters.@Nullable Source source() {
        return source;
    }

    void source(ServerCounters.Source reading) {
        source = reading;
    }

    void saw(ServerCounters now, long nanos) {
        ServerCounters before = last;
        boolean resumed = interrupted;
        long ownSelects = own.sumThenReset();
        last = now;
        interrupted = false;
        double seconds = (nanos - lastNanos) / 1e9;
        lastNanos = nanos;
        if (before == null) {
            fillingUntilNanos = nanos + FILLING_NANOS - (succeeded ? 0 : TimeUnit.SECONDS.toNanos(now.uptimeSeconds()));
            succeeded = false;
            return;
        }
        if (!now.follows(before)) {
            windows = List.of(); // another server, or restarted, and so with another pool
            fillingUntilNanos = nanos + FILLING_NANOS;
            return;
        }
        if (resumed) {
            return;
        }
        long selects = Math.max(0, now.selects() - before.selects() - ownSelects);
        selectsPerSecond = seconds > 0 ? selects / seconds : Double.NaN;
        double pages = now.pageReadsSince(before);
        if (selects < FEWEST_SELECTS || seconds <= 0 || Double.isNaN(pages)) {
            return;
        }
        if (nanos - fillingUntilNanos < 0 && fills(before, now, pages, selects)) {
            return; // a primary that is cold itself makes its standbys seem warm
        }
        fillingUntilNanos = nanos;
        List<Window> changed = new ArrayList<>(windows);
        changed.add(new Window(
                pages / seconds, selects / seconds, (now.writes() - before.writes()) / seconds, seconds, nanos));
        windows = List.copyOf(changed.subList(Math.max(0, changed.size() - WINDOWS), changed.size()));
    }

    /** Returns whether most pages that it reads are added to its pool, as only some time after a restart. */
    private static boolean fills(ServerCounters before, ServerCounters now, double pages, long selects) {
        double added = (double) (now.pages() - before.pages());
        return added >= pages / 2 && added > FEW_PAGES * selects;
    }

    /** Called when the primary did not respond: what it read since is not known. */
    void sawNothing() {
        interrupted = true;
        selectsPerSecond = Double.NaN;
        breaks.incrementAndGet();
    }

    /** Called when another server has become the primary: what it reads is not yet known. */
    void changed() {
        sawNothing();
        last = null;
        windows = List.of();
        succeeded = true;
    }

    /** Returns how often the counters could not be continued: the primary was away, or is another server. */
    int breaks() {
        return breaks.get();
    }

    private List<Window> recent(long nowNanos) {
        List<Window> seen = windows;
        return seen.isEmpty() || nowNanos - seen.get(0).nanos() <= STALE_NANOS
                ? seen
                : seen.stream()
                        .filter(window -> nowNanos - window.nanos() <= STALE_NANOS)
                        .toList();
    }

    /**
     * Returns the page reads per query.
     *
     * @param apart the same without those of writes, as {@link WritesApart} has it
     */
    public Estimate estimate(Estimate apart, long nowNanos) {
        List<Window> seen = recent(nowNanos);
        if (seen.isEmpty()) {
            return Estimate.UNKNOWN;
        }
        double all = seen.stream().mapToDouble(Window::statements).sum();
        double queries =
                seen.stream().mapToDouble(w -> w.selects() * w.seconds()).sum();
        Estimate alike = median(seen, w -> w.pages() / (w.selects() + w.writes()), all);
        if (queries > (1 - FEW_WRITES) * all) {
            return alike;
        }
        if (!apart.known()) {
            return new Estimate(alike.mean(), 0, Math.max(alike.high(), allReadsPerQuery(seen)), all);
        }
        double counting = alike.high() - alike.mean();
        return new Estimate(
                apart.mean(),
                Math.max(0, apart.mean() - Math.hypot(counting, apart.mean() - apart.low())),
                apart.mean() + Math.hypot(counting, apart.high() - apart.mean()),
                queries);
    }

    /** Returns all page reads, those of writes too, per query; NaN without recent windows of enough queries. */
    double allReadsPerQuery(long nowNanos) {
        return allReadsPerQuery(recent(nowNanos));
    }

    private static double allReadsPerQuery(List<Window> seen) {
        return seen.isEmpty() ? Double.NaN : Estimate.quantile(sorted(seen, w -> w.pages() / w.selects()), 0.5);
    }

    private static Estimate median(List<Window> seen, ToDoubleFunction<Window> value, double statements) {
        double[] rates = sorted(seen, value);
        double median = Estimate.quantile(rates, 0.5);
        double counting = Math.sqrt(Math.max(median, 1 / statements) / statements);
        double margin = Estimate.Z * Math.max(Estimate.medianError(rates), counting);
        return new Estimate(median, Math.max(0, median - margin), median + margin, statements);
    }

    private static double[] sorted(List<Window> seen, ToDoubleFunction<Window> value) {
        return seen.stream().mapToDouble(value).sorted().toArray();
    }

    /** Called for queries that clients send to the primary through this proxy. Thread-safe. */
    public void relayed(long queries) {
        relayed.add(queries);
    }

    /**
     * Called for each query that the mirror itself sends to the primary to check reads. It reads pages that a client
     * has just read, and would make the primary's reads per query seem fewer. Thread-safe.
     */
    public void ownQuery() {
        own.increment();
    }

    /** Returns the number of queries that clients have sent to the primary through this proxy. */
    long relayed() {
        return relayed.sum();
    }

    /** Returns the primary's queries per second lately, NaN while unknown. */
    public double selectsPerSecond() {
        return selectsPerSecond;
    }
}
