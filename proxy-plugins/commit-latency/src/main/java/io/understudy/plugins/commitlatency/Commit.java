package io.understudy.plugins.commitlatency;

import org.jspecify.annotations.Nullable;

/**
 * A commit as the client saw it.
 *
 * @param session the proxy's number of the session
 * @param thread the session's connection id on the primary
 * @param schema default schema, or null
 * @param digest of the transaction's first writing statement, 16 hexadecimal digits; null if its text was not known
 * @param gtid as in the server's OK_Packet, or null
 * @param sentNanos monotonic time at which the command's first byte arrived from the client
 * @param okNanos monotonic time at which the response's last byte arrived from the server
 */
record Commit(
        CommitKind kind,
        long session,
        long thread,
        String user,
        @Nullable String schema,
        @Nullable String digest,
        @Nullable String gtid,
        long sentNanos,
        long okNanos) {

    long latencyNanos() {
        return Math.max(0, okNanos - sentNanos);
    }
}
