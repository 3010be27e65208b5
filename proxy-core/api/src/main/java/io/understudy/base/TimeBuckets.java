package io.understudy.base;

/**
 * Logarithmic buckets of times, eight to a doubling, from a microsecond to two minutes: a percentile is exact to within
 * 6 per cent.
 */
public final class TimeBuckets {
    private static final int FIRST_BIT = 10;
    private static final int LAST_BIT = 37;
    private static final int STEPS_BITS = 3;
    private static final int STEPS = 1 << STEPS_BITS;

    public static final int COUNT = (LAST_BIT - FIRST_BIT) * STEPS + 1;

    private TimeBuckets() {}

    /** Returns the bucket of a time in nanoseconds. */
    public static int of(long nanos) {
        int bit = 63 - Long.numberOfLeadingZeros(nanos | 1);
        if (bit < FIRST_BIT) {
            return 0;
        }
        if (bit >= LAST_BIT) {
            return COUNT - 1;
        }
        int step = (int) (nanos >>> bit - STEPS_BITS) & STEPS - 1;
        return (bit - FIRST_BIT) * STEPS + step;
    }

    /** Returns the middle of a bucket in nanoseconds. */
    public static long middle(int bucket) {
        long base = 1L << FIRST_BIT + bucket / STEPS;
        long step = base >> STEPS_BITS;
        return base + bucket % STEPS * step + step / 2;
    }
}
