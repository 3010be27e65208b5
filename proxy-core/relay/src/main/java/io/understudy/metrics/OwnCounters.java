package io.understudy.metrics;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counters that one thread increments and any thread reads. Counting is a plain addition: no other thread writes to
 * these cache lines, as it does to those of a {@link java.util.concurrent.atomic.LongAdder} without contention.
 */
final class OwnCounters {
    private static final VarHandle COUNTS = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] counts;

    OwnCounters(int size) {
        counts = new long[size];
    }

    /** Must be called by one thread only. */
    void add(int index, long count) {
        COUNTS.setOpaque(counts, index, counts[index] + count);
    }

    /** Thread-safe. */
    long get(int index) {
        return (long) COUNTS.getOpaque(counts, index);
    }
}
