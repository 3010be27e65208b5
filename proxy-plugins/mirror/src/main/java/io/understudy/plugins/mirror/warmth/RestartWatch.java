package io.understudy.plugins.mirror.warmth;

import java.util.concurrent.TimeUnit;

/** Detects a server's restart by its uptime, and not by a step of its clock. Not thread-safe. */
final class RestartWatch {
    /** The uptime is up to some seconds old, and the server's clock may be set back a little. */
    private static final long TOLERANCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    /** A counter below this may be that of a server that has just started. */
    private static final long MANY_READS = 1000;

    private static final long UNWATCHED_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** States are that old at most when they are seen, and uptimes are in whole seconds. */
    private static final long SEEN_LATE_NANOS = TimeUnit.SECONDS.toNanos(3);

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
        long unseen = nowNanos - seenNanos;
        boolean watched = unseen <= UNWATCHED_NANOS;
        // But its own load of the pool may have read more by then than a server that was small, or young, had before.
        boolean young = TimeUnit.SECONDS.toNanos(uptimeNow) <= unseen + SEEN_LATE_NANOS;
        boolean countsOn = watched && !young && pageReads >= MANY_READS && pageReadsNow >= pageReads;
        startedNanos = first || later ? started : Math.min(started, startedNanos);
        if (fresh) {
            seenNanos = nowNanos;
        }
        uptime = uptimeNow;
        pageReads = pageReadsNow;
        return later && !countsOn;
    }
}
