package io.understudy.metrics;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;

/**
 * A histogram of durations, decimal log-linear: 90 buckets per decade from 1 µs to 100 s, so that a value is known to a
 * tenth and the published edges (1, 2, 5 × 10ⁿ) are bucket edges. Recording takes a few nanoseconds and allocates
 * nothing. Thread-safe.
 */
public final class LatencyHistogram {
    private static final int PER_DECADE = 90;
    private static final long[] DECADE =
            LongStream.iterate(1_000L, edge -> 10 * edge).limit(9).toArray();
    private static final int DECADES = DECADE.length - 1;
    private static final int UNDER = 0;
    private static final int OVER = DECADES * PER_DECADE + 1;

    /** Published upper edges in nanoseconds: 50 µs to 100 s. */
    private static final long[] EDGES = LongStream.of(DECADE)
            .flatMap(edge -> LongStream.of(edge, 2 * edge, 5 * edge))
            .filter(edge -> edge >= 50_000L && edge <= 100_000_000_000L)
            .toArray();

    private final AtomicLongArray counts = new AtomicLongArray(OVER + 1);
    private final LongAdder sum = new LongAdder();
    private final List<Recorder> recorders = new CopyOnWriteArrayList<>();

    /** Records a duration; a negative one counts as zero. */
    public void record(long nanos) {
        counts.incrementAndGet(bucket(nanos));
        sum.add(Math.max(0, nanos));
    }

    /**
     * Records for one thread, which alone may call {@link #record}: durations that each command has would otherwise
     * have the event loops wait for each other's cache lines.
     */
    public static final class Recorder {
        private static final int SUM = OVER + 1;

        private final OwnCounters counters = new OwnCounters(SUM + 1);

        private Recorder() {}

        /** Records a duration; a negative one counts as zero. */
        public void record(long nanos) {
            counters.add(bucket(nanos), 1);
            counters.add(SUM, Math.max(0, nanos));
        }
    }

    /** Returns a new recorder. It is kept as long as the histogram, so one thread needs one. */
    public Recorder recorder() {
        Recorder recorder = new Recorder();
        recorders.add(recorder);
        return recorder;
    }

    private long in(int bucket) {
        long total = counts.get(bucket);
        for (Recorder recorder : recorders) {
            total += recorder.counters.get(bucket);
        }
        return total;
    }

    static int bucket(long nanos) {
        if (nanos < DECADE[0]) {
            return UNDER;
        }
        if (nanos >= DECADE[DECADES]) {
            return OVER;
        }
        int decade = 0;
        long tenths = nanos / 100; // constant divisors: the compiler makes multiplications of them
        while (tenths >= 100) {
            tenths /= 10;
            decade++;
        }
        return 1 + decade * PER_DECADE + (int) tenths - 10;
    }

    /** Returns the bucket's upper edge in nanoseconds: smaller values are in {@code bucket} or a lower one. */
    static long upperEdge(int bucket) {
        if (bucket == UNDER) {
            return DECADE[0];
        }
        if (bucket >= OVER) {
            return Long.MAX_VALUE;
        }
        int decade = (bucket - 1) / PER_DECADE;
        int step = (bucket - 1) % PER_DECADE + 11;
        return DECADE[decade] / 10 * step;
    }

    /** Returns the published upper edges in nanoseconds. */
    public static long[] edges() {
        return EDGES.clone();
    }

    /** Returns the number of values up to each published edge, followed by the number of all values. */
    public long[] cumulative() {
        long[] result = new long[EDGES.length + 1];
        long running = 0;
        int edge = 0;
        for (int i = 0; i < counts.length(); i++) {
            running += in(i);
            while (edge < EDGES.length && upperEdge(i) == EDGES[edge]) {
                result[edge++] = running;
            }
        }
        result[EDGES.length] = running;
        return result;
    }

    public long count() {
        long total = 0;
        for (int i = 0; i < counts.length(); i++) {
            total += in(i);
        }
        return total;
    }

    /** Returns the sum of all values in nanoseconds. */
    public long sumNanos() {
        long total = sum.sum();
        for (Recorder recorder : recorders) {
            total += recorder.counters.get(Recorder.SUM);
        }
        return total;
    }

    /**
     * Adds the number of values in each bucket to {@code counts}, so that two readings can be subtracted and several
     * series summed up.
     *
     * @param counts from {@link #noCounts}
     */
    public void addTo(long[] counts) {
        for (int i = 0; i < counts.length; i++) {
            counts[i] += in(i);
        }
    }

    /** Returns an empty reading for {@link #addTo}. */
    public static long[] noCounts() {
        return new long[OVER + 1];
    }

    /**
     * Returns the value below which the given share of values lies, to a tenth.
     *
     * @param share 0 to 1
     * @return nanoseconds; 0 if nothing was recorded
     */
    public long percentile(double share) {
        long[] reading = noCounts();
        addTo(reading);
        return percentile(reading, share);
    }

    /** Returns the same of a reading made by {@link #addTo}. */
    public static long percentile(long[] counts, double share) {
        long total = 0;
        for (long count : counts) {
            total += count;
        }
        if (total == 0) {
            return 0;
        }
        long rank = (long) Math.ceil(share * total);
        long running = 0;
        for (int i = 0; i < counts.length; i++) {
            running += counts[i];
            if (running >= Math.max(1, rank)) {
                return i == OVER ? DECADE[DECADES] : upperEdge(i);
            }
        }
        return DECADE[DECADES];
    }
}
