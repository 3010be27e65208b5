package io.understudy.plugins.binlog;

import io.understudy.plugin.ServerConnector;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The connector, the clock and the callbacks that all attempts of a dump connection share.
 *
 * @param heartbeat interval at which an idle server sends heartbeats
 * @param nanoClock monotonic, the clock that stamps packets
 * @param wantTables called at the begin of each transaction: whether the listener needs the names of tables
 * @param rest called after each read: nanoseconds for which the log may be left unread, see
 *     {@link io.understudy.plugin.ServerStream#restNanos}
 * @param replica takes part in semi-synchronous replication and says where streams begin; null for a mere reader
 */
record DumpSettings(
        Duration heartbeat,
        ServerConnector connector,
        PrimaryQueries queries,
        LongSupplier nanoClock,
        ServerIds serverIds,
        BooleanSupplier wantTables,
        LongSupplier rest,
        BinlogDump.Bytes bytes,
        @Nullable SemiSyncReplica replica,
        BinlogListener listener) {
    /** Heartbeats that may be missing. */
    private static final int MISSING = 4;

    /** Returns the silence after which the connection counts as dead. */
    Duration silence() {
        return heartbeat.multipliedBy(MISSING);
    }
}
