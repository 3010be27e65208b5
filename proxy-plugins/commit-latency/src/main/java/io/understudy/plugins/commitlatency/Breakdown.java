package io.understudy.plugins.commitlatency;

/**
 * The parts of a commit's latency; they add up to it.
 *
 * @param executeNanos execution, preparation and flush to the binary log
 * @param queuedNanos wait, before its event was written, for the acknowledgement of other commits
 * @param ackNanos from its event's arrival to the OK: the wait for its own acknowledgement
 */
record Breakdown(long executeNanos, long queuedNanos, long ackNanos) {

    /** Returns the parts of a commit that waited for no acknowledgement. */
    static Breakdown unwaited(long latencyNanos) {
        return new Breakdown(latencyNanos, 0, 0);
    }

    /**
     * Returns the parts of a commit.
     *
     * @param eventNanos arrival of the last event; if it is after the OK, the commit waited for no acknowledgement
     * @param queuedNanos as measured; limited to the time before the event
     */
    static Breakdown of(long sentNanos, long eventNanos, long okNanos, long queuedNanos) {
        long ok = Math.max(sentNanos, okNanos);
        long event = Math.max(sentNanos, Math.min(eventNanos, ok));
        long before = event - sentNanos;
        long queued = Math.max(0, Math.min(queuedNanos, before));
        return new Breakdown(before - queued, queued, ok - event);
    }
}
