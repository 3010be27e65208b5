package io.understudy.plugins.commitlatency;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits that could have been lost: their OK came while no replica was known to have them. They are gathered in
 * windows from the first such commit to the first acknowledged one. A window's begin and end are wall clock times for
 * readers; its length is measured by the monotonic clock, so a step of the wall clock does not change it. Written by
 * the worker, read by any thread.
 */
final class Exposure {
    private static final Logger log = LoggerFactory.getLogger(Exposure.class);
    private static final int WINDOWS = 100;

    /**
     * A window in which commits were not acknowledged.
     *
     * @param end null while it lasts
     * @param milliseconds its length, or its length up to its last commit
     * @param firstGtid null if GTIDs were not reported
     * @param bytes of the transactions' events, as far as these were seen
     */
    record Window(
            Instant begin,
            @Nullable Instant end,
            long milliseconds,
            long commits,
            @Nullable String firstGtid,
            @Nullable String lastGtid,
            long bytes) {}

    private final LongFunction<Instant> wallClock;
    private final Deque<Window> past = new ArrayDeque<>();
    private @Nullable Window current;
    /** Whether acknowledgements were to be expected: otherwise none is missing. */
    private boolean expected;

    private boolean warned;
    private long beganNanos;
    private long total;

    /** @param wallClock converts a monotonic time to wall clock time; called only when a window begins or ends */
    Exposure(LongFunction<Instant> wallClock) {
        this.wallClock = wallClock;
    }

    /** @param state the commit's: off or degraded */
    synchronized void unacknowledged(Tracked tracked, SemiSync state) {
        total++;
        expected |= state == SemiSync.DEGRADED;
        Commit commit = tracked.commit();
        String gtid = commit.gtid();
        Window window = current;
        if (window == null) {
            beganNanos = commit.okNanos();
            warned = false;
            window = new Window(wallClock.apply(beganNanos), null, 0, 0, null, null, 0);
        }
        String first = window.firstGtid() == null ? gtid : window.firstGtid();
        current = new Window(
                window.begin(),
                null,
                Math.max(window.milliseconds(), (commit.okNanos() - beganNanos) / 1_000_000),
                window.commits() + 1,
                first,
                gtid == null ? window.lastGtid() : gtid,
                window.bytes() + tracked.bytes());
        // Once a window, and only where acknowledgements are missing: semi-sync may not be in use at all.
        if (expected && !warned) {
            warned = true;
            log.warn(
                    "since {} commits get their OK without a replica's acknowledgement, the first is {}: they are"
                            + " lost if the primary is; see that a semi-synchronous replica is connected",
                    window.begin(),
                    first == null ? "not known by its GTID" : first);
        }
    }

    /** Called when a replica acknowledges again, and with it all earlier transactions. Closes the window. */
    synchronized void acknowledged(long nanos) {
        expected = true;
        Window window = current;
        if (window == null) {
            return;
        }
        current = null;
        if (past.size() == WINDOWS) {
            past.removeFirst();
        }
        Window closed = new Window(
                window.begin(),
                wallClock.apply(nanos),
                Math.max(window.milliseconds(), (nanos - beganNanos) / 1_000_000),
                window.commits(),
                window.firstGtid(),
                window.lastGtid(),
                window.bytes());
        past.addLast(closed);
        if (!warned) {
            return;
        }
        log.info(
                "a replica acknowledges again; commits that had none from {} to {} ({} ms): {}, {} to {}, {} bytes of"
                        + " binary log",
                closed.begin(),
                closed.end(),
                closed.milliseconds(),
                closed.commits(),
                closed.firstGtid(),
                closed.lastGtid(),
                closed.bytes());
    }

    synchronized @Nullable Window current() {
        return current;
    }

    /** Returns the closed windows, newest last. */
    synchronized List<Window> past() {
        return new ArrayList<>(past);
    }

    /** Returns whether semi-synchronous replication was seen enabled, so that acknowledgements are missing. */
    synchronized boolean expected() {
        return expected;
    }

    synchronized long total() {
        return total;
    }
}
