package io.understudy.plugins.mirror;

import java.util.concurrent.atomic.AtomicLong;

/**
 * So many a second and no more: counts within whole seconds of the monotonic clock. One atomic word holds the second and the
 * count, so that taking a place is one step. Any thread.
 */
final class RateLimit {
    static final RateLimit NONE = new RateLimit(Integer.MAX_VALUE);

    private static final int COUNT_BITS = 32;
    private static final long COUNT_MASK = (1L << COUNT_BITS) - 1;
    private static final long SECOND = 1_000_000_000L;

    private final int limit;
    private final AtomicLong secondAndCount = new AtomicLong();

    private RateLimit(int limit) {
        this.limit = limit;
    }

    static RateLimit perSecond(int limit) {
        return new RateLimit(limit);
    }

    boolean take(long nowNanos) {
        if (limit == Integer.MAX_VALUE) {
            return true;
        }
        long second = nowNanos / SECOND;
        while (true) {
            long seen = secondAndCount.get();
            long count = seen >>> COUNT_BITS == (second & COUNT_MASK) ? seen & COUNT_MASK : 0;
            if (count >= limit) {
                return false;
            }
            if (secondAndCount.compareAndSet(seen, second << COUNT_BITS | count + 1)) {
                return true;
            }
        }
    }
}
