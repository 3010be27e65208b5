package io.understudy.plugins.blackbox.log;

import io.understudy.plugins.binlog.TransactionKind;
import org.jspecify.annotations.Nullable;

/**
 * What the log tells of a transaction besides its events.
 *
 * @param gtid as the server writes it
 * @param millis time at which it was captured, in milliseconds since 1970
 * @param format the format description event of its events; not to be modified
 * @param length bytes of its events
 * @param token what its client has named it, as far as its events tell; null if it has not. Has no blank
 */
public record LoggedTransaction(
        String gtid,
        TransactionKind kind,
        long millis,
        byte[] format,
        int length,
        @Nullable String token) {}
