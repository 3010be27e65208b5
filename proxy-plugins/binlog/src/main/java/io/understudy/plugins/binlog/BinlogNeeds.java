package io.understudy.plugins.binlog;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A subscriber's requirements of the shared stream.
 *
 * @param subscriber names the subscriber in the log, as a plugin's id
 * @param tables whether it needs {@link BinlogTransaction#tables}, which are read as long as any subscriber needs them
 * @param serverId the server id that the connection must use, or 0 for any
 * @param restNanos called on the stream's event loop after each read: nanoseconds for which the log may be left unread,
 *     0 to read it as it arrives, see {@link io.understudy.plugin.ServerStream#restNanos}. The stream rests for the
 *     shortest time that its subscribers allow
 * @param events receives the bytes of the transactions' events, or null. While any subscriber needs them, the stream
 *     begins exactly at the position that {@link BinlogListener#onStart} reports, and continues after a lost connection
 *     where it ended, if the server still can
 */
public record BinlogNeeds(
        String subscriber,
        boolean tables,
        long serverId,
        LongSupplier restNanos,
        @Nullable BinlogEvents events) {
    /** Requirements of a subscriber that does not need the events' bytes. */
    public BinlogNeeds(String subscriber, boolean tables, long serverId, LongSupplier restNanos) {
        this(subscriber, tables, serverId, restNanos, null);
    }
}
