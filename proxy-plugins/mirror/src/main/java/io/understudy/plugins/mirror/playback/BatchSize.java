package io.understudy.plugins.mirror.playback;

/**
 * The number of statements that one connection sends together: the number that the standby has lately executed in
 * {@link #WORTH_NANOS}, so many while its pages are cached and few while it reads them from disk.
 *
 * <p>Sending each statement alone would cost several times the statement in wake-ups, writes and reads. A larger batch
 * would keep on one connection the work that another could do. Thread-safe.
 */
final class BatchSize {
    static final int MIN = 8;
    static final int MAX = 256;
    /** Less than the drain timer's interval, so that one connection may send several batches within it. */
    static final long WORTH_NANOS = 5_000_000;
    /** Moving average: the newest batch counts a quarter. */
    private static final int WEIGHT = 4;

    private volatile int statements = MIN;
    private volatile long nanosEach = WORTH_NANOS / MIN;

    int statements() {
        return statements;
    }

    /** Records a batch whose responses have all arrived. */
    void completed(int count, long nanos) {
        // Not atomic: of two concurrent updates one may be lost, which an estimate bears.
        long each = nanosEach + (nanos / Math.max(1, count) - nanosEach) / WEIGHT;
        nanosEach = each;
        statements = (int) Math.min(MAX, Math.max(MIN, WORTH_NANOS / Math.max(1, each)));
    }
}
