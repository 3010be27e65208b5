package io.understudy.replay.log;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** Counts what a reader has read. Not thread-safe. */
public final class LogCounts {
    private long events;
    private long rotations;
    private long missing;
    private final Map<String, Long> refused = new TreeMap<>();

    private final Map<String, Long> notCaptured = new TreeMap<>();

    void event() {
        events++;
    }

    void rotation() {
        rotations++;
    }

    void missing(long count) {
        missing += count;
    }

    void refuse(String reason) {
        refused.merge(reason, 1L, Long::sum);
    }

    void notCaptured(String what) {
        notCaptured.merge(what, 1L, Long::sum);
    }

    /**
     * Returns the number of sessions by what a capture does not have of them: values from before its start, and
     * character sets of unknown collations.
     */
    public Map<String, Long> notCaptured() {
        return Collections.unmodifiableMap(notCaptured);
    }

    /** Returns the number of events, refused ones not counted. */
    public long events() {
        return events;
    }

    /** Returns how often the log begins anew: at a server's start or a rotation. */
    public long rotations() {
        return rotations;
    }

    /** Returns the number of events that the log itself says are missing. */
    public long missing() {
        return missing;
    }

    /**
     * Returns what was not taken for an event, by reason: {@code forged} (an event's header inside a literal or comment
     * of a statement), {@code ambiguous} (whether it is inside depends on the session's {@code sql_mode}),
     * {@code no_header}, {@code truncated}, {@code too_long}.
     */
    public Map<String, Long> refused() {
        return Collections.unmodifiableMap(refused);
    }
}
