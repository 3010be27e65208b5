package io.understudy.plugins.mirror.warmth;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The sample of {@code sample: adaptive} for one standby: everything while the standby is cold, halved step by step
 * while its excess is below the target, doubled while it is above one and a half of it, and unchanged between, or while
 * the interval is too wide to tell. Where probes leave an interval without an estimate, all of the interval must be
 * below or above. Budgets bound it. Pure: time and measurements are passed in. Not thread-safe.
 */
public final class AdaptiveSample {
    /** Time between two steps, in which the estimate takes up the effect of the last. */
    static final long STEP_NANOS = 5_000_000_000L;

    static final double COLDER = 1.5;
    private static final double RELIEVED = 0.8;
    private static final double FEWEST = 30;
    /** Time without probes after which nothing is known of the standby any more. */
    private static final long UNKNOWN_NANOS = 30_000_000_000L;
    /** The sample is left alone while it is so many times what the probes need, which varies with the load. */
    private static final double LEAST = 1 / 1.5;

    private static final double ENOUGH = 1.2;
    private static final double PLENTY = 1.5;

    /** The reason of the present sample. */
    public enum Reason {
        START,
        RESTART,
        COLD,
        WARM,
        UNKNOWN,
        BUDGET_PAGE_READS,
        BUDGET_LAG,
        BUDGET_THREADS_RUNNING,
        BUDGET_RELIEVED,
        PROBES;

        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Bounds.
     *
     * @param target excess below which the standby is warm enough
     * @param pageReads page reads a second of the standby, or infinite
     * @param lagSeconds its replication lag
     * @param threadsRunning its Threads_running
     */
    public record Bounds(double target, double pageReads, double lagSeconds, double threadsRunning) {}

    /**
     * Measurements; NaN where unknown.
     *
     * @param restarted the standby has restarted since the last call
     * @param lowest sample at which enough statements for the probes are mirrored
     */
    public record Measured(
            Estimate excess,
            boolean restarted,
            double pageReads,
            double lagSeconds,
            double threadsRunning,
            double lowest) {}

    private double wanted = 1;
    private double ceiling = 1;
    private double ratio = 1;
    private Reason reason = Reason.START;
    private long steppedNanos;
    private long relievedNanos;
    private long knownNanos;
    /** The budget that has lowered the ceiling last. */
    private Reason exceeded = Reason.BUDGET_PAGE_READS;

    public AdaptiveSample(long nowNanos) {
        steppedNanos = nowNanos;
        relievedNanos = nowNanos;
        knownNanos = nowNanos;
    }

    /** Returns the share of statements to mirror. */
    public double ratio() {
        return ratio;
    }

    /** Returns why it changed last. */
    public Reason reason() {
        return reason;
    }

    /** Takes in measurements, about once a second; returns whether the sample has changed. */
    public boolean update(Measured now, Bounds bounds, long nowNanos) {
        Reason why = reason;
        double lowest = Math.min(1, Math.max(0, now.lowest()));
        if (!Double.isNaN(now.excess().high())) {
            knownNanos = nowNanos;
        }
        if (now.restarted()) {
            wanted = 1;
            why = Reason.RESTART;
            steppedNanos = nowNanos;
        } else if (nowNanos - steppedNanos >= STEP_NANOS) {
            why = step(now.excess(), bounds.target(), lowest, nowNanos, why);
        }
        if (wanted < LEAST * lowest) {
            wanted = Math.min(1, ENOUGH * lowest);
            why = Reason.PROBES;
        }
        why = budget(now, bounds, lowest, nowNanos, why);
        double next = Math.min(wanted, ceiling);
        boolean changed = next != ratio;
        if (changed) {
            ratio = next;
            reason = why;
        }
        return changed;
    }

    private Reason step(Estimate excess, double target, double lowest, long nowNanos, Reason before) {
        if (Double.isNaN(excess.high())) {
            return nowNanos - knownNanos >= UNKNOWN_NANOS && wanted < 1 ? doubled(Reason.UNKNOWN, nowNanos) : before;
        }
        if (excess.samples() < FEWEST) {
            return before;
        }
        if (isWarm(excess, target) && wanted > PLENTY * lowest) {
            wanted = Math.max(ENOUGH * lowest, wanted / 2);
            steppedNanos = nowNanos;
            return Reason.WARM;
        }
        return isCold(excess, target) && wanted < 1 ? doubled(Reason.COLD, nowNanos) : before;
    }

    private static boolean isWarm(Estimate excess, double target) {
        return excess.known() ? excess.mean() < target && margin(excess) < COLDER * target : excess.high() < target;
    }

    private static boolean isCold(Estimate excess, double target) {
        return excess.known()
                ? excess.mean() > COLDER * target && (excess.low() > target || margin(excess) < excess.mean())
                : excess.low() > COLDER * target;
    }

    private static double margin(Estimate excess) {
        return (excess.high() - excess.low()) / 2;
    }

    private Reason doubled(Reason why, long nowNanos) {
        wanted = Math.min(1, wanted * 2);
        steppedNanos = nowNanos;
        return why;
    }

    private Reason budget(Measured now, Bounds bounds, double lowest, long nowNanos, Reason before) {
        Reason over = exceeded(now, bounds, 1);
        if (over != null) {
            exceeded = over;
            ceiling = Math.max(lowest, Math.min(wanted, ceiling) / 2);
            relievedNanos = nowNanos;
            return ceiling <= wanted ? over : before;
        }
        ceiling = Math.max(ceiling, lowest);
        boolean relieved = !Double.isNaN(figure(now, exceeded)) && exceeded(now, bounds, RELIEVED) == null;
        if (ceiling < 1 && relieved && nowNanos - relievedNanos >= STEP_NANOS) {
            ceiling = Math.min(1, ceiling * 2);
            relievedNanos = nowNanos;
            return ceiling <= wanted ? Reason.BUDGET_RELIEVED : before;
        }
        return before;
    }

    /** Returns the figure that a budget bounds, or NaN. */
    private static double figure(Measured now, Reason budget) {
        return switch (budget) {
            case BUDGET_LAG -> now.lagSeconds();
            case BUDGET_THREADS_RUNNING -> now.threadsRunning();
            default -> now.pageReads();
        };
    }

    private static @Nullable Reason exceeded(Measured now, Bounds bounds, double share) {
        if (now.pageReads() > bounds.pageReads() * share) {
            return Reason.BUDGET_PAGE_READS;
        }
        if (now.lagSeconds() > bounds.lagSeconds() * share) {
            return Reason.BUDGET_LAG;
        }
        return now.threadsRunning() > bounds.threadsRunning() * share ? Reason.BUDGET_THREADS_RUNNING : null;
    }
}
