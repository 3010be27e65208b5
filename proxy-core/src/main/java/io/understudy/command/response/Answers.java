package io.understudy.command.response;

import io.understudy.wire.CommandCode;
import org.jspecify.annotations.Nullable;

/** Which grammar a command's answer follows. */
public final class Answers {
    /** Over when the next command comes. */
    public static final Answer UNKNOWN = new UnknownAnswer();
    /** Of a statement. */
    public static final Answer RESULT = new ResultAnswer(0);

    private static final Answer SINGLE = new SinglePacketAnswer();
    private static final @Nullable Answer[] BY_CODE = new Answer[256];

    static {
        java.util.Arrays.fill(BY_CODE, UNKNOWN);
        Answer rows = new ResultAnswer(ResultAnswer.ROWS);
        Answer stream = new StreamAnswer();
        for (int code : new int[] {
            CommandCode.SLEEP,
            CommandCode.INIT_DB,
            CommandCode.CREATE_DB,
            CommandCode.DROP_DB,
            CommandCode.REFRESH,
            CommandCode.SHUTDOWN,
            CommandCode.STATISTICS,
            CommandCode.CONNECT,
            CommandCode.PROCESS_KILL,
            CommandCode.DEBUG,
            CommandCode.PING,
            CommandCode.TIME,
            CommandCode.DELAYED_INSERT,
            CommandCode.CONNECT_OUT,
            CommandCode.REGISTER_SLAVE,
            CommandCode.STMT_RESET,
            CommandCode.SET_OPTION,
            CommandCode.DAEMON,
            CommandCode.RESET_CONNECTION
        }) {
            BY_CODE[code] = SINGLE;
        }
        for (int code : new int[] {
            CommandCode.QUERY, CommandCode.PROCESS_INFO, CommandCode.STMT_EXECUTE, CommandCode.STMT_BULK_EXECUTE
        }) {
            BY_CODE[code] = RESULT;
        }
        BY_CODE[CommandCode.STMT_FETCH] = rows;
        BY_CODE[CommandCode.FIELD_LIST] = rows;
        BY_CODE[CommandCode.STMT_PREPARE] = new PrepareAnswer();
        BY_CODE[CommandCode.CHANGE_USER] = new AuthenticationAnswer();
        BY_CODE[CommandCode.BINLOG_DUMP] = stream;
        BY_CODE[CommandCode.BINLOG_DUMP_GTID] = stream;
        BY_CODE[CommandCode.TABLE_DUMP] = stream;
        BY_CODE[CommandCode.SUBSCRIBE_GROUP_REPLICATION_STREAM] = stream;
        BY_CODE[CommandCode.QUIT] = null;
        BY_CODE[CommandCode.STMT_CLOSE] = null;
        BY_CODE[CommandCode.STMT_SEND_LONG_DATA] = null;
    }

    private Answers() {}

    /** The grammar, or null for a command that has no answer. */
    public static @Nullable Answer to(int code) {
        return BY_CODE[code & 0xFF];
    }
}
