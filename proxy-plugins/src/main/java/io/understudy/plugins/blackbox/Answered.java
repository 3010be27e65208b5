package io.understudy.plugins.blackbox;

import org.jspecify.annotations.Nullable;

/**
 * A commit whose OK was sent on to the client.
 *
 * @param gtids as the OK told: one on MariaDB, on MySQL all that the command committed
 * @param session the proxy's number of the session
 * @param thread the primary's number of the session
 * @param digest of the transaction's first writing statement; 0 when not known
 * @param nanos monotonic time of the OK's last byte
 */
record Answered(
        String gtids,
        long session,
        long thread,
        String user,
        @Nullable String schema,
        long digest,
        long nanos) {}
