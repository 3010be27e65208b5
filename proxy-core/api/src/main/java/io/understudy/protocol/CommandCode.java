package io.understudy.protocol;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.Locale;

/** The first byte of a command packet, for both products. Codes missing here are forwarded nevertheless. */
public final class CommandCode {
    public static final int SLEEP = 0x00;
    public static final int QUIT = 0x01;
    public static final int INIT_DB = 0x02;
    public static final int QUERY = 0x03;
    public static final int FIELD_LIST = 0x04;
    public static final int CREATE_DB = 0x05;
    public static final int DROP_DB = 0x06;
    public static final int REFRESH = 0x07;
    public static final int SHUTDOWN = 0x08;
    public static final int STATISTICS = 0x09;
    public static final int PROCESS_INFO = 0x0A;
    public static final int CONNECT = 0x0B;
    public static final int PROCESS_KILL = 0x0C;
    public static final int DEBUG = 0x0D;
    public static final int PING = 0x0E;
    public static final int TIME = 0x0F;
    public static final int DELAYED_INSERT = 0x10;
    public static final int CHANGE_USER = 0x11;
    public static final int BINLOG_DUMP = 0x12;
    public static final int TABLE_DUMP = 0x13;
    public static final int CONNECT_OUT = 0x14;
    public static final int REGISTER_SLAVE = 0x15;
    public static final int STMT_PREPARE = 0x16;
    public static final int STMT_EXECUTE = 0x17;
    public static final int STMT_SEND_LONG_DATA = 0x18;
    public static final int STMT_CLOSE = 0x19;
    public static final int STMT_RESET = 0x1A;
    public static final int SET_OPTION = 0x1B;
    public static final int STMT_FETCH = 0x1C;
    public static final int DAEMON = 0x1D;
    public static final int BINLOG_DUMP_GTID = 0x1E;
    public static final int RESET_CONNECTION = 0x1F;
    public static final int CLONE = 0x20;
    public static final int SUBSCRIBE_GROUP_REPLICATION_STREAM = 0x21;
    /** MariaDB only. */
    public static final int STMT_BULK_EXECUTE = 0xFA;

    private static final String[] NAMES = new String[256];

    static {
        Arrays.fill(NAMES, "unknown");
        for (Field code : CommandCode.class.getFields()) {
            try {
                NAMES[code.getInt(null)] = code.getName().toLowerCase(Locale.ROOT);
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private CommandCode() {}

    /**
     * Returns the lower-case name for logs and metric labels, from a bounded set: {@code unknown} for a code of neither
     * product.
     */
    public static String name(int code) {
        return NAMES[code & 0xFF];
    }
}
