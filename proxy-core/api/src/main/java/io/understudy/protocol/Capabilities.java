package io.understudy.protocol;

/**
 * Capability bits of both products. The lower 32 bits are the MySQL protocol's; the upper 32 are MariaDB's extended
 * capabilities, which are sent in the four bytes that MySQL reserves as zero and are valid only when
 * {@link #LONG_PASSWORD} (MariaDB calls the unset bit "not a MySQL client") is off.
 *
 * <p>Sources: MySQL source documentation, "Capabilities Flags"; MariaDB knowledge base, "Connection".
 */
public final class Capabilities {
    public static final long LONG_PASSWORD = 1L;
    public static final long FOUND_ROWS = 1L << 1;
    public static final long LONG_FLAG = 1L << 2;
    public static final long CONNECT_WITH_DB = 1L << 3;
    public static final long NO_SCHEMA = 1L << 4;
    public static final long COMPRESS = 1L << 5;
    public static final long ODBC = 1L << 6;
    public static final long LOCAL_FILES = 1L << 7;
    public static final long IGNORE_SPACE = 1L << 8;
    public static final long PROTOCOL_41 = 1L << 9;
    public static final long INTERACTIVE = 1L << 10;
    public static final long SSL = 1L << 11;
    public static final long IGNORE_SIGPIPE = 1L << 12;
    public static final long TRANSACTIONS = 1L << 13;
    public static final long RESERVED = 1L << 14;
    public static final long SECURE_CONNECTION = 1L << 15;
    public static final long MULTI_STATEMENTS = 1L << 16;
    public static final long MULTI_RESULTS = 1L << 17;
    public static final long PS_MULTI_RESULTS = 1L << 18;
    public static final long PLUGIN_AUTH = 1L << 19;
    public static final long CONNECT_ATTRS = 1L << 20;
    public static final long PLUGIN_AUTH_LENENC_DATA = 1L << 21;
    public static final long CAN_HANDLE_EXPIRED_PASSWORDS = 1L << 22;
    public static final long SESSION_TRACK = 1L << 23;
    public static final long DEPRECATE_EOF = 1L << 24;
    public static final long OPTIONAL_RESULTSET_METADATA = 1L << 25;
    public static final long ZSTD_COMPRESSION = 1L << 26;
    public static final long QUERY_ATTRIBUTES = 1L << 27;
    public static final long MULTI_FACTOR_AUTHENTICATION = 1L << 28;
    public static final long CAPABILITY_EXTENSION = 1L << 29;
    public static final long SSL_VERIFY_SERVER_CERT = 1L << 30;
    public static final long REMEMBER_OPTIONS = 1L << 31;

    public static final long MARIADB_PROGRESS = 1L << 32;
    public static final long MARIADB_COM_MULTI = 1L << 33;
    public static final long MARIADB_STMT_BULK_OPERATIONS = 1L << 34;
    public static final long MARIADB_EXTENDED_METADATA = 1L << 35;
    public static final long MARIADB_CACHE_METADATA = 1L << 36;
    public static final long MARIADB_BULK_UNIT_RESULTS = 1L << 37;

    /** All bits of the MySQL half. */
    public static final long MYSQL_HALF = 0xFFFF_FFFFL;

    private Capabilities() {}
}
