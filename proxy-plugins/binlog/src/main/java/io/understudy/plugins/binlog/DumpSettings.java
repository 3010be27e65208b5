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

    /** Patience with a server that looks for the start position; a replica has the same ({@code slave_net_timeout}). */
    private static final Duration SEEKING = Duration.ofSeconds(60);

    /** Returns those of a connection whose arrival times matter only to a replica, and which needs tables only else. */
    static DumpSettings of(
            ServerConnector connector,
            PrimaryQueries queries,
            BinlogDump.Bytes bytes,
            @Nullable SemiSyncReplica replica,
            BinlogListener listener) {
        boolean reader = replica == null;
        return new DumpSettings(
                reader ? BinlogDump.HEARTBEAT : BinlogDump.SHORT_HEARTBEAT,
                connector,
                queries,
                System::nanoTime,
                new ServerIds(0),
                () -> reader,
                () -> reader ? BinlogDump.REST.toNanos() : 0,
                bytes,
                replica,
                listener);
    }

    /**
     * Returns the silence after which the connection counts as dead.
     *
     * @param flowing see {@link BinlogStream#flows}. Before that MariaDB reads a file of its binary log from the file's
     *     begin to the start position and sends nothing, not even heartbeats, for seconds if the file is large (before
     *     11.4, which has an index, always)
     */
    Duration silence(boolean flowing) {
        return flowing ? heartbeat.multipliedBy(MISSING) : SEEKING;
    }
}
