package io.understudy.plugins.mirror.warmth;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The primary's own page reads per query: what even a warm server reads under this load. The median of the last
 * windows, so that a report or a backup that scans a table does not make a cold standby appear warm.
 *
 * <p>The counters are global and do not tell who read a page. {@link WritesApart} subtracts the reads of writes. While
 * it knows nothing, a write counts as a statement that reads like a query, and the interval goes from no reads of
 * queries to none of writes. Written by one thread; the estimates may be called by any.
 */
public final class Floor {
    /** As many as the probes' half-life has, so that standby and primary are compared under the same load. */
    private static final int WINDOWS = 7;

    private static final int FEWEST_SELECTS = 20;
    /** Share of writes among all statements below which their reads are not told apart. */
    private static final double FEW_WRITES = 0.02;

    /** All a second but the length of the window. */
    private record Window(double pages, double selects, double writes, double seconds) {
        double statements() {
            return (selects + writes) * seconds;
        }
    }

    private volatile ServerCounters.@Nullable Source source;
    private volatile List<Window> windows = List.of();
    private @Nullable ServerCounters last;
    private long lastNanos;
    private volatile double selectsPerSecond = Double.NaN;
    private final AtomicInteger breaks = new AtomicInteger();

    /** Returns how to read the primary's counters, or null without {@code primary.monitor}. */
    ServerCounters.@Nullable Source source() {
        return source;
    }

    void source(ServerCounters.Source reading) {
        source = reading;
    }

    void saw(ServerCounters now, long nanos) {
        ServerCounters before = last;
        last = now;
        double seconds = (nanos - lastNanos) / 1e9;
        lastNanos = nanos;
        if (before == null) {
            return;
        }
        if (now.uptimeSeconds() < before.uptimeSeconds() || now.selects() < before.selects()) {
            windows = List.of(); // another server, or restarted
            return;
        }
        long selects = now.selects() - before.selects();
        selectsPerSecond = seconds > 0 ? selects / seconds : Double.NaN;
        if (selects < FEWEST_SELECTS || seconds <= 0) {
            return;
        }
        List<Window> changed = new ArrayList<>(windows);
        changed.add(new Window(
                Math.max(0, now.pageReads() - before.pageReads()) / seconds,
                selects / seconds,
                Math.max(0, now.writes() - before.writes()) / seconds,
                seconds));
        windows = List.copyOf(changed.subList(Math.max(0, changed.size() - WINDOWS), changed.size()));
    }

    /** Called when the primary did not respond: what it read since is not known. */
    void sawNothing() {
        last = null;
        selectsPerSecond = Double.NaN;
        breaks.incrementAndGet();
    }

    /** Returns how often the counters could not be continued: the primary was away, or is another server. */
    int breaks() {
        return breaks.get();
    }

    /** Returns the page reads per query if a write reads like one; unknown before a window with enough queries. */
    public Estimate estimate() {
        return estimate(Estimate.UNKNOWN);
    }

    /**
     * Returns the page reads per query.
     *
     * @param apart the same without those of writes, as {@link WritesApart} has it
     */
    public Estimate estimate(Estimate apart) {
        List<Window> seen = windows;
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
            return new Estimate(alike.mean(), 0, Math.max(alike.high(), allReadsPerQuery()), all);
        }
        double margin = Math.hypot(alike.high() - alike.mean(), apart.high() - apart.mean());
        return new Estimate(apart.mean(), Math.max(0, apart.mean() - margin), apart.mean() + margin, queries);
    }

    /** Returns all page reads, those of writes too, per query; NaN before a window with enough queries. */
    double allReadsPerQuery() {
        List<Window> seen = windows;
        return seen.isEmpty() ? Double.NaN : Medians.quantile(sorted(seen, w -> w.pages() / w.selects()), 0.5);
    }

    private static Estimate median(List<Window> seen, ToDoubleFunction<Window> value, double statements) {
        double[] rates = sorted(seen, value);
        double median = Medians.quantile(rates, 0.5);
        double counting = Math.sqrt(Math.max(median, 1 / statements) / statements);
        double margin = Estimate.Z * Math.max(Medians.error(rates), counting);
        return new Estimate(median, Math.max(0, median - margin), median + margin, statements);
    }

    private static double[] sorted(List<Window> seen, ToDoubleFunction<Window> value) {
        return seen.stream().mapToDouble(value).sorted().toArray();
    }

    /** Returns the primary's queries per second lately, NaN while unknown. */
    public double selectsPerSecond() {
        return selectsPerSecond;
    }
}
