package io.understudy.plugins.mirror.warmth;

import java.util.concurrent.TimeUnit;

/** Detects a server's restart by its uptime, and not by a step of its clock. Not thread-safe. */
final class RestartWatch {
    /** The uptime is up to some seconds old, and the server's clock may be set back a little. */
    private static final long TOLERANCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    /** A server does not read so many pages within the time below of its start. */
    private static final long MANY_READS = 1000;

    private static final long UNWATCHED_NANOS = TimeUnit.SECONDS.toNanos(5);

    private long uptime = -1;
    private long startedNanos;
    private long pageReads;
    private long seenNanos;

    /**
     * Returns whether the server has restarted since the last call.
     *
     * @param pageReadsNow since its start, or -1
     */
    boolean restarted(long uptimeNow, long pageReadsNow, long nowNanos) {
        boolean first = uptime < 0;
        boolean fresh = uptimeNow != uptime; // an old state makes the start seem later
        long started = nowNanos - TimeUnit.SECONDS.toNanos(uptimeNow);
        // A server that was out of reach for longer than it ran before has a higher uptime than the last one seen.
        boolean later = !first && fresh && (uptimeNow < uptime || started - startedNanos > TOLERANCE_NANOS);
        // The uptime is the difference of two readings of the clock, which may be set back; the counters go on.
        boolean watched = nowNanos - seenNanos <= UNWATCHED_NANOS;
        boolean countsOn = watched && pageReads >= MANY_READS && pageReadsNow >= pageReads;
        startedNanos = first || later ? started : Math.min(started, startedNanos);
        if (fresh) {
            seenNanos = nowNanos;
        }
        uptime = uptimeNow;
        pageReads = pageReadsNow;
        return later && !countsOn;
    }
}
