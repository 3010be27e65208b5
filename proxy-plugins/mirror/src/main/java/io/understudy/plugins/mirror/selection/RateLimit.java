package io.understudy.plugins.mirror.selection;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Limits a rate per second: one permit becomes free every {@code 1/limit} seconds, and those of at most
 * {@link #BURST_NANOS} may be taken at once, so that a load that comes in bursts has as many as an even one. The
 * generic cell rate algorithm: its whole state is the time at which all permits taken so far have become free, so that
 * taking one is a single atomic step. Thread-safe.
 */
public final class RateLimit {
    /** Time by which statements that come together may run ahead of the rate. */
    static final long BURST_NANOS = 1_000_000_000L;

    private static final long SECOND = 1_000_000_000L;
    private static final long PERIOD_NANOS = 5 * SECOND;

    public static final RateLimit NONE = new RateLimit(0, 0);

    /** Interval between two permits; 0 for no limit. */
    private final long intervalNanos;

    private final AtomicLong allFreeAt;
    private final LongAdder taken = new LongAdder();
    private final LongAdder refused = new LongAdder();
    /** What {@link #passing} returned last. */
    private double share = 1;

    private long sinceNanos;
    private boolean counted;

    private RateLimit(long intervalNanos, long nowNanos) {
        this.intervalNanos = intervalNanos;
        this.allFreeAt = new AtomicLong(nowNanos);
        this.sinceNanos = nowNanos;
    }

    /**
     * Returns a limit of so many a second.
     *
     * @param nowNanos of the monotonic clock whose time is passed to {@link #take}
     */
    public static RateLimit perSecond(int limit, long nowNanos) {
        return new RateLimit(Math.max(1, SECOND / limit), nowNanos);
    }

    public boolean take(long nowNanos) {
        if (intervalNanos == 0) {
            return true;
        }
        while (true) {
            long seen = allFreeAt.get();
            long ahead = Math.max(0, seen - nowNanos);
            // With no permit taken ahead one is always free, even if the interval is longer than the burst.
            if (ahead > 0 && ahead + intervalNanos > BURST_NANOS) {
                refused.increment();
                return false;
            }
            if (allFreeAt.compareAndSet(seen, nowNanos + ahead + intervalNanos)) {
                taken.increment();
                return true;
            }
        }
    }

    /** Returns the share of attempts that get a permit, in the last full period of some seconds. */
    public double passing(long nowNanos) {
        return intervalNanos == 0 ? 1 : counted(nowNanos);
    }

    private synchronized double counted(long nowNanos) {
        boolean over = nowNanos - sinceNanos >= PERIOD_NANOS;
        double passed = over ? taken.sumThenReset() : taken.sum();
        double all = passed + (over ? refused.sumThenReset() : refused.sum());
        // Until the first period is over, all of it so far.
        if (all > 0 && (over || !counted)) {
            share = Math.max(1, passed) / all;
        }
        if (over) {
            sinceNanos = nowNanos;
            counted = true;
        }
        return share;
    }
}
