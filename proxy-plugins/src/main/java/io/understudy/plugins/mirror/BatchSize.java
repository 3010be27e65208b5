package io.understudy.plugins.mirror;

/**
 * How many statements leave together: a wake-up, a write and a read for each would cost several times what the statement itself
 * does, but what has left for one connection is not done by another. So a batch is what the standby has lately done in {@link
 * #WORTH_NANOS}: many statements while its pages are warm, few while it reads them from disk. Any thread.
 */
final class BatchSize {
    static final int LEAST = 8;
    static final int MOST = 256;
    /** Less than the drain timer's round, so that one connection may do several batches in it. */
    static final long WORTH_NANOS = 5_000_000;
    /** The last batch weighs so much against those before: one in four. */
    private static final int WEIGHT = 4;

    private volatile int statements = LEAST;
    private volatile long nanosEach = WORTH_NANOS / LEAST;

    int statements() {
        return statements;
    }

    /** A batch has been answered. */
    void took(int count, long nanos) {
        // Two connections at a time may lose one of the two: it is an estimate.
        long each = nanosEach + (nanos / Math.max(1, count) - nanosEach) / WEIGHT;
        nanosEach = each;
        statements = (int) Math.min(MOST, Math.max(LEAST, WORTH_NANOS / Math.max(1, each)));
    }
}
