package io.understudy.plugins.mirror.verify;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.servers.GtidNumbers;
import io.understudy.servers.MariaDbGtid;
import java.util.Locale;

/** The queries of a check, by product. */
enum CheckedProduct {
    MARIADB(
            "SELECT @@GLOBAL.gtid_binlog_pos",
            "SELECT MASTER_GTID_WAIT('%s', %d)",
            "SELECT COALESCE(MAX(VARIABLE_VALUE), 0) FROM information_schema.GLOBAL_STATUS"
                    + " WHERE VARIABLE_NAME = 'Rpl_semi_sync_master_wait_sessions'",
            "SELECT @@GLOBAL.rpl_semi_sync_master_timeout"),
    MYSQL(
            "SELECT REPLACE(@@GLOBAL.gtid_executed, '\n', '')",
            "SELECT WAIT_FOR_EXECUTED_GTID_SET('%s', %d)",
            "SELECT COALESCE(MAX(VARIABLE_VALUE + 0), 0) FROM performance_schema.global_status"
                    + " WHERE VARIABLE_NAME IN ('Rpl_semi_sync_source_wait_sessions',"
                    + " 'Rpl_semi_sync_master_wait_sessions')",
            "SELECT COALESCE(MAX(VARIABLE_VALUE + 0), 0) FROM performance_schema.global_variables"
                    + " WHERE VARIABLE_NAME IN ('rpl_semi_sync_source_timeout', 'rpl_semi_sync_master_timeout')");

    /** The expression of the version without its patch level. */
    static final String VERSION = "REGEXP_SUBSTR(VERSION(), '^[0-9]+[.][0-9]+')";

    private final String position;
    private final String wait;
    private final String waiting;
    private final String timeout;

    CheckedProduct(String position, String wait, String waiting, String timeout) {
        this.position = position;
        this.wait = wait;
        this.waiting = waiting;
        this.timeout = timeout;
    }

    static CheckedProduct of(ServerFlavor flavor) {
        return flavor == ServerFlavor.MARIADB ? MARIADB : MYSQL;
    }

    /** Returns the query for all that the primary has logged. */
    String position() {
        return position;
    }

    /** Returns the query that waits until a standby has applied a position; its result is then 0. */
    String wait(String reached, int seconds) {
        return String.format(Locale.ROOT, wait, reached, seconds);
    }

    /**
     * Returns the query for all that the primary has logged, the number of sessions that wait for semi-sync, the
     * session's {@code sql_mode} and the server's version without its patch level.
     */
    String beginning() {
        return position + ", (" + waiting + "), @@SESSION.sql_mode, " + VERSION;
    }

    /** Returns the query for how long they wait at most, in milliseconds. */
    String timeout() {
        return timeout;
    }

    /** Parses a position: MariaDB {@code 0-1-42,10-1-7}, each domain with all up to its number; MySQL a GTID set. */
    GtidNumbers parse(String text) {
        if (this == MYSQL) {
            return GtidNumbers.ofMySql(text);
        }
        GtidNumbers numbers = new GtidNumbers();
        MariaDbGtid.sequences(text).forEach((domain, last) -> numbers.add(Long.toString(domain), 1, last));
        return numbers;
    }

    /** Adds a transaction of the log. Without a GTID it belongs to no position. */
    void add(GtidNumbers seen, BinlogTransaction transaction) {
        if (this == MARIADB) {
            // A domain's log is in order, so all before it were seen too.
            seen.add(String.valueOf(transaction.domain()), 1, transaction.sequence());
            return;
        }
        String gtid = transaction.gtid();
        if (gtid != null) {
            seen.add(gtid.substring(0, gtid.lastIndexOf(':')).toLowerCase(Locale.ROOT), transaction.sequence());
        }
    }
}
