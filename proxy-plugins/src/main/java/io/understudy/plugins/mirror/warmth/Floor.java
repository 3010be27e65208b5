package io.understudy.plugins.mirror.warmth;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The primary's own page reads per statement: what even a warm server reads under this load. The median of the last
 * windows, so that a report or a backup that scans a table does not make a cold standby appear warm.
 *
 * <p>The counters are global and do not tell who read a page, so a write counts as a statement that reads like any
 * other. Written by one thread; {@link #estimate} and {@link #selectsPerSecond} may be called by any.
 */
public final class Floor {
    /** As many as the probes' half-life has, so that standby and primary are compared under the same load. */
    private static final int WINDOWS = 7;

    private static final int FEWEST_SELECTS = 20;
    /**
     * Standard error of a median, in those of a mean, for a normal distribution; and quartile distance in deviations.
     */
    private static final double MEDIAN = 1.253;

    private static final double QUARTILES = 1.349;

    private record Window(double perStatement, double statements, double selectsPerSecond) {}

    private final Deque<Window> windows = new ArrayDeque<>();
    private @Nullable ServerCounters last;
    private long lastNanos;
    private volatile Estimate estimate = Estimate.UNKNOWN;
    private volatile double selectsPerSecond = Double.NaN;

    void saw(ServerCounters now, long nanos) {
        ServerCounters before = last;
        last = now;
        double seconds = (nanos - lastNanos) / 1e9;
        lastNanos = nanos;
        if (before == null) {
            return;
        }
        if (now.uptimeSeconds() < before.uptimeSeconds() || now.selects() < before.selects()) {
            windows.clear(); // another server, or restarted
            estimate = Estimate.UNKNOWN;
            return;
        }
        long selects = now.selects() - before.selects();
        selectsPerSecond = seconds > 0 ? selects / seconds : Double.NaN;
        if (selects < FEWEST_SELECTS || seconds <= 0) {
            return;
        }
        double statements = selects + Math.max(0, now.writes() - before.writes());
        windows.add(new Window(
                Math.max(0, now.pageReads() - before.pageReads()) / statements, statements, selects / seconds));
        if (windows.size() > WINDOWS) {
            windows.remove();
        }
        estimate = median();
    }

    /** Called when the primary did not respond: what it read since is not known. */
    void sawNothing() {
        last = null;
        selectsPerSecond = Double.NaN;
    }

    private Estimate median() {
        double[] rates = sorted(Window::perStatement);
        double all = windows.stream().mapToDouble(Window::statements).sum();
        double median = quantile(rates, 0.5);
        double spread = (quantile(rates, 0.75) - quantile(rates, 0.25)) / QUARTILES;
        double counting = Math.sqrt(Math.max(median, 1 / all) / all);
        double margin = Estimate.Z * Math.max(MEDIAN * spread / Math.sqrt(rates.length), counting);
        return new Estimate(median, Math.max(0, median - margin), median + margin, all);
    }

    private double[] sorted(ToDoubleFunction<Window> value) {
        double[] values = windows.stream().mapToDouble(value).toArray();
        Arrays.sort(values);
        return values;
    }

    private static double quantile(double[] sorted, double share) {
        double at = share * (sorted.length - 1);
        int below = (int) at;
        int above = Math.min(sorted.length - 1, below + 1);
        return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
    }

    /** Returns the page reads per statement, unknown before the first window with enough statements. */
    public Estimate estimate() {
        return estimate;
    }

    /** Returns the primary's queries per second lately, NaN while unknown. */
    public double selectsPerSecond() {
        return selectsPerSecond;
    }
}
