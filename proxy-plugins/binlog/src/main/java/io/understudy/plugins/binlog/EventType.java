package io.understudy.plugins.binlog;

/**
 * Type codes of the binary log events that are read (MySQL's {@code binlog_event.h}, MariaDB's {@code log_event.h}).
 */
public final class EventType {
    public static final int QUERY = 2;
    static final int STOP = 3;
    static final int ROTATE = 4;
    public static final int FORMAT_DESCRIPTION = 15;
    public static final int XID = 16;
    static final int EXECUTE_LOAD_QUERY = 18;
    public static final int TABLE_MAP = 19;
    static final int HEARTBEAT = 27;
    static final int MYSQL_GTID = 33;
    static final int MYSQL_ANONYMOUS_GTID = 34;
    public static final int XA_PREPARE = 38;
    public static final int TRANSACTION_PAYLOAD = 40;
    static final int HEARTBEAT_V2 = 41;
    static final int MYSQL_TAGGED_GTID = 42;
    /** MariaDB: the text of the statement whose rows follow. */
    public static final int ANNOTATE_ROWS = 160;

    public static final int MARIADB_GTID = 162;
    static final int START_ENCRYPTION = 164;
    public static final int QUERY_COMPRESSED = 165;
    /** MariaDB 12.3: a part of an event with rows that is too long for one packet. */
    public static final int PARTIAL_ROWS = 172;

    private static final int LAST_OF_MYSQL = 42;

    /**
     * Returns whether the event holds rows inserted, updated or deleted: versions 1 and 2, MySQL's partial updates,
     * MariaDB's compressed ones and parts of long ones.
     */
    public static boolean holdsRows(int type) {
        return type >= 23 && type <= 25
                || type >= 30 && type <= 32
                || type == 39
                || type >= 166 && type <= PARTIAL_ROWS;
    }

    /** Returns whether the event is newer than this reader, so that it may hold anything. */
    public static boolean isUnknown(int type, boolean mariadb) {
        return type > (mariadb ? PARTIAL_ROWS : LAST_OF_MYSQL);
    }

    /** Returns whether the event is a GTID event, with which a transaction begins. */
    public static boolean beginsTransaction(int type) {
        return type == MARIADB_GTID || type == MYSQL_GTID || type == MYSQL_ANONYMOUS_GTID || type == MYSQL_TAGGED_GTID;
    }

    private EventType() {}
}
