package io.understudy.plugins.mirror;

import java.util.concurrent.atomic.AtomicLong;

/**
 * So many a second, spread over the second: a place becomes free every {@code 1/limit} seconds, and the places of at most {@link
 * #BURST_NANOS} may be taken at once. The one word is the time at which all places taken so far will have become free (the
 * generic cell rate algorithm), so that taking a place is one step. Any thread.
 */
final class RateLimit {
    /** What statements that come together may take ahead of time. */
    static final long BURST_NANOS = 50_000_000L;

    private static final long SECOND = 1_000_000_000L;

    static final RateLimit NONE = new RateLimit(0, 0);

    /** Between two places; 0 for no limit. */
    private final long intervalNanos;

    private final AtomicLong allFreeAt;

    private RateLimit(long intervalNanos, long nowNanos) {
        this.intervalNanos = intervalNanos;
        this.allFreeAt = new AtomicLong(nowNanos);
    }

    /** @param nowNanos of the monotonic clock by which {@link #take} will be asked */
    static RateLimit perSecond(int limit, long nowNanos) {
        return new RateLimit(Math.max(1, SECOND / limit), nowNanos);
    }

    boolean take(long nowNanos) {
        if (intervalNanos == 0) {
            return true;
        }
        while (true) {
            long seen = allFreeAt.get();
            long ahead = Math.max(0, seen - nowNanos);
            // One place is there whenever none is taken, however seldom a place becomes free.
            if (ahead > 0 && ahead + intervalNanos > BURST_NANOS) {
                return false;
            }
            if (allFreeAt.compareAndSet(seen, nowNanos + ahead + intervalNanos)) {
                return true;
            }
        }
    }
}
