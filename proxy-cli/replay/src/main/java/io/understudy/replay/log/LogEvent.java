package io.understudy.replay.log;

import io.understudy.plugin.HashedResult;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One event of a log.
 *
 * @param kind what happened
 * @param threadId the session's number on its server
 * @param user of the session, or empty when the log does not say
 * @param schema the default schema, or null when there is none or the log does not say
 * @param text the statement as logged; empty for other kinds
 * @param startMicros wall clock at the statement's start, or {@link #UNKNOWN}
 * @param durationMicros execution time, or {@link #UNKNOWN}
 * @param line number of the event's first line
 * @param settings of the session, an assignment list for SET, or null when the log does not say
 * @param writing further settings of the session, or null when the log does not say
 * @param execution of a prepared statement, whose text then is {@code text}; or null
 * @param result hashes of its rows, or null when the log does not have them
 */
public record LogEvent(
        Kind kind,
        long threadId,
        String user,
        @Nullable String schema,
        byte[] text,
        long startMicros,
        long durationMicros,
        long line,
        @Nullable String settings,
        @Nullable WriteSettings writing,
        @Nullable Execution execution,
        @Nullable HashedResult result) {

    /** A time that the log does not have. */
    public static final long UNKNOWN = Long.MIN_VALUE;

    /** An event of a log that has neither settings nor executions. */
    LogEvent(
            Kind kind,
            long threadId,
            String user,
            @Nullable String schema,
            byte[] text,
            long startMicros,
            long durationMicros,
            long line) {
        this(kind, threadId, user, schema, text, startMicros, durationMicros, line, null, null, null, null);
    }

    /** The kind of an event. */
    public enum Kind {
        STATEMENT,
        /** The session has ended. */
        QUIT,
        /** A session has begun; general log only. */
        CONNECT,
        /** A command without a statement. */
        ADMIN
    }

    /** Returns the statement as text, for messages. */
    public String sql() {
        return new String(text, StandardCharsets.UTF_8);
    }
}
