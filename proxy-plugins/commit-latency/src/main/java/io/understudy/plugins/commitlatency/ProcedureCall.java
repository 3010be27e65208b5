package io.understudy.plugins.commitlatency;

import org.jspecify.annotations.Nullable;

/**
 * A command in flight that may commit more often than its response reports: a CALL, or another statement that runs a
 * stored program.
 *
 * @param session the proxy's number of the session
 * @param thread the session's connection id on the primary
 * @param schema default schema, or null
 * @param digest of the statement; null if its text was not known
 * @param sentNanos monotonic time at which the command's first byte arrived from the client
 */
record ProcedureCall(
        long session,
        long thread,
        String user,
        @Nullable String schema,
        @Nullable String digest,
        long sentNanos) {

    /**
     * Returns a transaction that the call committed before its end, from {@code sinceNanos} to the arrival of its last
     * event.
     */
    Commit commit(@Nullable String gtid, long sinceNanos, long untilNanos) {
        return new Commit(CommitKind.AUTOCOMMIT, session, thread, user, schema, digest, gtid, sinceNanos, untilNanos);
    }
}
