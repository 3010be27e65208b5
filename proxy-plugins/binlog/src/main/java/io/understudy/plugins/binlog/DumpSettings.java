package io.understudy.plugins.binlog;

import io.understudy.plugin.ServerConnector;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The connector, the clock and the callbacks that all attempts of a dump connection share.
 *
 * @param nanoClock monotonic, the clock that stamps packets
 * @param wantTables called at the begin of each transaction: whether the listener needs the names of tables
 * @param rest called after each read: nanoseconds for which the log may be left unread
 */
record DumpSettings(
        ServerConnector connector,
        PrimaryQueries queries,
        LongSupplier nanoClock,
        ServerIds serverIds,
        BooleanSupplier wantTables,
        LongSupplier rest,
        BinlogDump.Bytes bytes,
        BinlogListener listener) {}
