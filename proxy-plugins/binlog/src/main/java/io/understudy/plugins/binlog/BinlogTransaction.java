package io.understudy.plugins.binlog;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A transaction of the binary log, complete with its last event.
 *
 * @param gtid as in the server's OK_Packet: MariaDB {@code 0-1-42}, MySQL {@code uuid:5} or {@code uuid:tag:5}; null
 *     for an anonymous transaction (MySQL without {@code gtid_mode})
 * @param kind schema change, rows, or a phase of XA
 * @param domain MariaDB's domain id; 0 on MySQL
 * @param serverId server that first wrote it
 * @param sequence number within its domain, or on MySQL within its source and tag
 * @param group MariaDB: commit id that all transactions of one group commit share; MySQL: {@code last_committed}, which
 *     with writesets (the only way since 8.4) says nothing about group commit; -1 for none
 * @param bytes of all its events, headers included
 * @param lastNanos monotonic arrival of the last byte of its last event
 * @param punctual whether it was read as it arrived; otherwise the times are those of a later read, after a rest
 * @param tables names {@code schema.table} whose rows it changes; at most {@link #MAX_TABLES}
 * @param tablesKnown whether {@code tables} is complete; false for logged statements, compressed transactions, too many
 *     tables, and if no subscriber needed them as the transaction began
 * @param statements whether it holds logged statements (statement-based logging) that are not schema changes
 * @param statement its first logged statement, which leads to the others, if tables were needed; null if it has rows
 *     only, or if that statement could not be read
 * @param seconds execution time on the primary as logged, in whole seconds, so exact enough only for long ones
 * @param thread connection id of the client that wrote it on {@code serverId}; 0 if it is not logged: MariaDB before
 *     11.5 with row-based logging; and for a compressed transaction of MySQL whose begin was not available. In a
 *     replica's log MariaDB keeps it; MySQL names its applier's thread in front of rows
 */
public record BinlogTransaction(
        @Nullable String gtid,
        TransactionKind kind,
        long domain,
        long serverId,
        long sequence,
        long group,
        long bytes,
        long lastNanos,
        boolean punctual,
        Set<String> tables,
        boolean tablesKnown,
        boolean statements,
        @Nullable LoggedStatement statement,
        long seconds,
        long thread) {
    /** Most tables listed of one transaction. */
    public static final int MAX_TABLES = 64;

    /** No group: on MariaDB the transaction was committed alone. */
    public static final long NO_GROUP = -1;

    /** Returns whether a MySQL server logged it: MariaDB's transactions all have a GTID, without a UUID. */
    public boolean ofMySql() {
        return gtid == null || gtid.indexOf(':') >= 0;
    }
}
