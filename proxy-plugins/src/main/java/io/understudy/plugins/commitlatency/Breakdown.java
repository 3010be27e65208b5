package io.understudy.plugins.commitlatency;

/**
 * The parts of a commit's latency; they add up to it.
 *
 * @param executeNanos execution, preparation and flush to the binary log
 * @param queuedNanos waiting, before its event was written, while other commits waited for their acknowledgement
 * @param ackNanos from its event's arrival to the OK: the wait for its own acknowledgement
 */
record Breakdown(long executeNanos, long queuedNanos, long ackNanos) {

    /** Of a commit that waited for nobody. */
    static Breakdown unwaited(long latencyNanos) {
        return new Breakdown(latencyNanos, 0, 0);
    }

    /**
     * Splits.
     *
     * @param eventNanos arrival of the last event. It may lie after the OK, which took the shorter way: then nothing was
     *     waited for
     * @param queuedNanos as measured; what exceeds the time before the event is ignored
     */
    static Breakdown of(long sentNanos, long eventNanos, long okNanos, long queuedNanos) {
        long ok = Math.max(sentNanos, okNanos);
        long event = Math.max(sentNanos, Math.min(eventNanos, ok));
        long before = event - sentNanos;
        long queued = Math.max(0, Math.min(queuedNanos, before));
        return new Breakdown(before - queued, queued, ok - event);
    }
}
