package io.understudy.plugins.commitlatency;

import io.understudy.base.TimeBuckets;
import java.util.Arrays;

/** A histogram of durations with quantiles, exact to 6 %. About 2 KiB. Not thread-safe. */
final class Quantiles {
    /** A busy primary has more commits of one duration in days than an int can count. */
    final long[] counts = new long[TimeBuckets.COUNT];

    private long count;
    private long sum;
    private long max;

    void record(long nanos) {
        long value = Math.max(0, nanos);
        counts[TimeBuckets.of(value)]++;
        count++;
        sum += value;
        max = Math.max(max, value);
    }

    /** Returns a duration as milliseconds with three decimals. */
    static double millis(long nanos) {
        return Math.round(nanos / 1_000.0) / 1_000.0;
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
                return Math.min(max, TimeBuckets.middle(i));
            }
        }
        return max;
    }

    void clear() {
        Arrays.fill(counts, 0);
        count = 0;
        sum = 0;
        max = 0;
    }
}
