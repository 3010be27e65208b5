package io.understudy.plugins.binlog;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a subscriber asks of the one stream that all share.
 *
 * @param who names the subscriber in the log, as a plugin's id
 * @param tables it needs {@link BinlogTransaction#tables}, which are read as long as any subscriber needs them
 * @param serverId under which the primary is to know the connection, or 0 for any
 * @param restNanos asked on the stream's event loop after each read: nanoseconds for which the log may be left unread, 0 to read it as
 *     it arrives, see {@link io.understudy.plugin.ServerStream#restNanos}. The stream rests as long as all subscribers allow
 * @param events given the bytes of the transactions' events, or null. While any subscriber wants them, the stream begins exactly at the
 *     position that {@link BinlogListener#onStart} is told, and after a lost connection where it had ended, if the server still can
 */
public record BinlogNeeds(
        String who,
        boolean tables,
        long serverId,
        LongSupplier restNanos,
        @Nullable BinlogEvents events) {
    /** Of one that does not want the bytes. */
    public BinlogNeeds(String who, boolean tables, long serverId, LongSupplier restNanos) {
        this(who, tables, serverId, restNanos, null);
    }
}
