package io.understudy.metrics;

import org.jspecify.annotations.Nullable;

/**
 * What one event loop counts for each command and each read of its sessions. Only that loop may count; any thread may
 * read.
 */
public final class RelayCounts {
    static final int CODES = 256;
    /** At least so long after one read the overhead of the next is measured: the clock takes time itself. */
    private static final long APART_NANOS = 1_000_000;

    static final int FROM_CLIENT = CODES;
    static final int FROM_SERVER = CODES + 1;

    private final OwnCounters counters = new OwnCounters(CODES + 2);
    private final LatencyHistogram.Recorder overhead;
    /** When the last read came whose overhead is measured. */
    private long measuredNanos = System.nanoTime() - APART_NANOS;

    private final LatencyHistogram[] kinds;
    /** By kind; one costs memory from its first command on. */
    private final LatencyHistogram.@Nullable Recorder[] seconds;

    RelayCounts(LatencyHistogram.Recorder overhead, LatencyHistogram[] kinds) {
        this.overhead = overhead;
        this.kinds = kinds;
        seconds = new LatencyHistogram.Recorder[kinds.length];
    }

    /**
     * Counts a command whose response has ended.
     *
     * @param kind as numbered by {@link CoreMetrics#setKinds}
     * @param nanos from its arrival to the response's last byte
     */
    public void command(int code, int kind, long nanos) {
        counters.add(code & 0xFF, 1);
        LatencyHistogram.Recorder recorder = seconds[kind];
        if (recorder == null) {
            recorder = kinds[kind].recorder();
            seconds[kind] = recorder;
        }
        recorder.record(nanos);
    }

    public void bytesFromClient(int count) {
        counters.add(FROM_CLIENT, count);
    }

    public void bytesFromServer(int count) {
        counters.add(FROM_SERVER, count);
    }

    /**
     * Returns, at most once a millisecond, whether the overhead of a client's read is to be measured.
     *
     * @param nanos monotonic time of the read
     */
    public boolean beginsMeasurement(long nanos) {
        if (nanos - measuredNanos < APART_NANOS) {
            return false;
        }
        measuredNanos = nanos;
        return true;
    }

    public void overhead(long nanos) {
        overhead.record(nanos);
    }

    long get(int counter) {
        return counters.get(counter);
    }
}
