package io.understudy.replay.log;

import java.util.Map;
import java.util.TreeMap;

/** Counts what a reader has read. Thread-safe: a replay that was stopped reports while its reader may still read. */
public final class LogCounts {
    private long events;
    private long rotations;
    private long missing;
    private final Map<String, Long> refused = new TreeMap<>();

    private final Map<String, Long> notCaptured = new TreeMap<>();

    synchronized void event() {
        events++;
    }

    synchronized void rotation() {
        rotations++;
    }

    synchronized void missing(long count) {
        missing += count;
    }

    synchronized void refuse(String reason) {
        refused.merge(reason, 1L, Long::sum);
    }

    synchronized void notCaptured(String what) {
        notCaptured.merge(what, 1L, Long::sum);
    }

    /**
     * Returns the number of sessions by what a capture does not have of them: values from before its start, and
     * character sets of unknown collations.
     */
    public synchronized Map<String, Long> notCaptured() {
        return new TreeMap<>(notCaptured);
    }

    /** Returns the number of events, refused ones not counted. */
    public synchronized long events() {
        return events;
    }

    /** Returns how often the log begins anew: at a server's start or a rotation. */
    public synchronized long rotations() {
        return rotations;
    }

    /** Returns the number of events that the log itself says are missing. */
    public synchronized long missing() {
        return missing;
    }

    /**
     * Returns what was not taken for an event, by reason: {@code forged} (an event's header inside a literal or comment
     * of a statement), {@code ambiguous} (whether it is inside depends on the session's {@code sql_mode}),
     * {@code no_header}, {@code truncated}, {@code too_long}.
     */
    public synchronized Map<String, Long> refused() {
        return new TreeMap<>(refused);
    }
}
