package io.understudy.metrics;

/**
 * What one event loop counts for each command and each read of its sessions. Only that loop may count; any thread may
 * read.
 */
public final class RelayCounts {
    static final int CODES = 256;
    static final int FROM_CLIENT = CODES;
    static final int FROM_SERVER = CODES + 1;

    private final OwnCounters counters = new OwnCounters(CODES + 2);
    private final LatencyHistogram.Recorder overhead;

    RelayCounts(LatencyHistogram.Recorder overhead) {
        this.overhead = overhead;
    }

    public void command(int code) {
        counters.add(code & 0xFF, 1);
    }

    public void bytesFromClient(int count) {
        counters.add(FROM_CLIENT, count);
    }

    public void bytesFromServer(int count) {
        counters.add(FROM_SERVER, count);
    }

    public void overhead(long nanos) {
        overhead.record(nanos);
    }

    long get(int counter) {
        return counters.get(counter);
    }
}
