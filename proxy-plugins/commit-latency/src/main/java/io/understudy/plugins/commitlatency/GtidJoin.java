package io.understudy.plugins.commitlatency;

import io.understudy.plugins.binlog.BinlogTransaction;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Joins commits with their last events by GTID, in either order. Both sides wait for a bounded time and in bounded
 * number; events of commits that bypassed the proxy find no partner and expire. Used by the worker only.
 */
final class GtidJoin {
    /** Receives the outcome for each commit and event. */
    interface Out {
        /**
         * Called when a commit and its event have been joined.
         *
         * @param queuedNanos part of the time before the event in which other commits waited for their acknowledgement
         */
        void joined(Tracked commit, BinlogTransaction event, long queuedNanos);

        /** Called when an event has waited too long for a commit. */
        void unmatched(BinlogTransaction event);

        /** Called when a commit's event has not come or was missed; {@code reason} is from a bounded set. */
        void unmatched(Tracked commit, String reason);
    }

    private static final int INTERVALS = 4_096;

    private final int capacity;
    private final long expireNanos;
    private final Out out;
    private final Map<String, Tracked> commits = new LinkedHashMap<>();
    private final Map<String, BinlogTransaction> events = new LinkedHashMap<>();
    private final BusyTimes acknowledging = new BusyTimes(INTERVALS);

    /** @param capacity number of commits, and of events, that may wait */
    GtidJoin(int capacity, long expireNanos, Out out) {
        this.capacity = capacity;
        this.expireNanos = expireNanos;
        this.out = out;
    }

    void commit(Tracked commit, String gtid) {
        BinlogTransaction waiting = events.remove(gtid);
        if (waiting != null && plausible(commit.commit(), waiting)) {
            join(commit, waiting);
            return;
        }
        Tracked older = commits.put(gtid, commit);
        if (older != null) {
            out.unmatched(older, "superseded");
        }
        if (commits.size() > capacity) {
            out.unmatched(removeOldest(commits), "overflow");
        }
    }

    void event(BinlogTransaction event) {
        String gtid = event.gtid();
        if (gtid == null) {
            return;
        }
        Tracked commit = commits.get(gtid);
        if (commit != null && plausible(commit.commit(), event)) {
            commits.remove(gtid);
            join(commit, event);
            return;
        }
        events.put(gtid, event);
        if (events.size() > capacity) {
            out.unmatched(removeOldest(events));
        }
    }

    /**
     * Returns whether the two can belong together: an event before the command was sent belongs to an earlier use of
     * the GTID (RESET MASTER, another primary).
     */
    private boolean plausible(Commit commit, BinlogTransaction event) {
        return event.lastNanos() >= commit.sentNanos() && event.lastNanos() - commit.okNanos() <= expireNanos;
    }

    private void join(Tracked tracked, BinlogTransaction event) {
        Commit commit = tracked.commit();
        long queued = 0;
        if (event.punctual()) {
            queued = acknowledging.overlap(commit.sentNanos(), event.lastNanos());
            acknowledging.add(event.lastNanos(), commit.okNanos());
        }
        out.joined(tracked, event, queued);
    }

    /** Reports commits and events that have waited too long. */
    void expire(long nowNanos) {
        while (true) {
            Tracked oldest = oldest(commits);
            if (oldest == null || nowNanos - oldest.commit().okNanos() <= expireNanos) {
                break;
            }
            out.unmatched(removeOldest(commits), "expired");
        }
        while (true) {
            BinlogTransaction oldest = oldest(events);
            if (oldest == null || nowNanos - oldest.lastNanos() <= expireNanos) {
                break;
            }
            out.unmatched(removeOldest(events));
        }
    }

    /** Reports everything that still waits. Called last. */
    void finish() {
        while (!events.isEmpty()) {
            out.unmatched(removeOldest(events));
        }
        gap();
    }

    /** Called when events are being missed: the waiting commits will find none. */
    void gap() {
        while (!commits.isEmpty()) {
            out.unmatched(removeOldest(commits), "gap");
        }
        events.clear();
        acknowledging.clear();
    }

    int waitingCommits() {
        return commits.size();
    }

    int waitingEvents() {
        return events.size();
    }

    private static <V> @Nullable V oldest(Map<String, V> map) {
        Iterator<V> values = map.values().iterator();
        return values.hasNext() ? values.next() : null;
    }

    private static <V> V removeOldest(Map<String, V> map) {
        Iterator<V> values = map.values().iterator();
        V value = values.next();
        values.remove();
        return value;
    }
}
