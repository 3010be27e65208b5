package io.understudy.plugins.querylog.stream;

import io.understudy.plugins.querylog.digests.DigestEntry;
import org.jspecify.annotations.Nullable;

/**
 * One executed statement, or the end of a session, on its way to the readers. Immutable, shared by their queues.
 *
 * @param session what all events of a session share
 * @param schema the default schema, or null
 * @param entry the statement's digest; null for the end of a session
 * @param text what was executed; null for the end of a session and where the stream shows no values
 * @param endMicros wall clock
 * @param errorCode 0 for success
 * @param rule name of the rule that matched, or null
 */
record StatementEvent(
        EventSession session,
        @Nullable String schema,
        @Nullable DigestEntry entry,
        @Nullable ExecutedText text,
        long endMicros,
        long nanos,
        long rows,
        long affectedRows,
        long bytes,
        int errorCode,
        @Nullable String rule) {
    /** Roughly what an event takes beside its text. */
    private static final int OVERHEAD = 200;

    int size() {
        ExecutedText own = text;
        return own == null ? OVERHEAD : OVERHEAD + own.size();
    }
}
