package io.understudy.plugins.commitlatency;

/**
 * A histogram of durations with quantiles: 16 buckets per doubling, so a value is exact to 6 %. About 5 KiB. Not
 * thread-safe.
 */
final class Quantiles {
    private static final int PER_DOUBLING = 16;
    private static final int SHIFT = 4;
    /** Durations from 2^10 ns (a microsecond) to 2^50 ns (13 days). */
    private static final int LOWEST = 10;

    private static final int HIGHEST = 50;

    private final int[] counts = new int[(HIGHEST - LOWEST) * PER_DOUBLING];
    private long count;
    private long sum;
    private long max;

    void record(long nanos) {
        long value = Math.max(0, nanos);
        counts[bucket(value)]++;
        count++;
        sum += value;
        max = Math.max(max, value);
    }

    private static int bucket(long nanos) {
        if (nanos < 1L << LOWEST) {
            return 0;
        }
        int power = 63 - Long.numberOfLeadingZeros(nanos);
        if (power >= HIGHEST) {
            return (HIGHEST - LOWEST) * PER_DOUBLING - 1;
        }
        int step = (int) (nanos >>> (power - SHIFT)) & (PER_DOUBLING - 1);
        return (power - LOWEST) * PER_DOUBLING + step;
    }

    private static long middle(int bucket) {
        int power = bucket / PER_DOUBLING + LOWEST;
        long begin = (1L << power) + ((long) (bucket % PER_DOUBLING) << (power - SHIFT));
        return begin + (1L << (power - SHIFT - 1));
    }

    long count() {
        return count;
    }

    long sum() {
        return sum;
    }

    long max() {
        return max;
    }

    /** Returns the duration below which the given share lies; 0 without data. */
    long at(double share) {
        if (count == 0) {
            return 0;
        }
        long rank = Math.max(1, (long) Math.ceil(share * count));
        if (rank >= count) {
            return max;
        }
        long running = 0;
        for (int i = 0; i < counts.length; i++) {
            running += counts[i];
            if (running >= rank) {
                return Math.min(max, middle(i));
            }
        }
        return max;
    }

    void clear() {
        java.util.Arrays.fill(counts, 0);
        count = 0;
        sum = 0;
        max = 0;
    }
}
