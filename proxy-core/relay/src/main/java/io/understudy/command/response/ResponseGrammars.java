package io.understudy.command.response;

import io.understudy.protocol.CommandCode;
import org.jspecify.annotations.Nullable;

/** Maps commands to the grammars of their responses. */
public final class ResponseGrammars {
    /** For commands without a response. */
    static final ResponseGrammar NONE = new ResponseGrammar() {
        @Override
        public int packet(ResponseProgress progress, int length, int first) {
            throw new IllegalStateException("no response is due");
        }
    };
    /** For unknown commands: the response ends with the next command. */
    public static final ResponseGrammar UNKNOWN = new UnknownResponse();
    /** For statements. */
    public static final ResponseGrammar RESULT = new ResultSetResponse(0);

    private static final ResponseGrammar SINGLE = new SinglePacketResponse();
    private static final @Nullable ResponseGrammar[] BY_CODE = new ResponseGrammar[256];

    static {
        java.util.Arrays.fill(BY_CODE, UNKNOWN);
        ResponseGrammar rows = new ResultSetResponse(ResultSetResponse.ROWS);
        ResponseGrammar stream = new StreamResponse();
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
            CommandCode.CLONE,
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
        BY_CODE[CommandCode.STMT_PREPARE] = new PrepareResponse();
        BY_CODE[CommandCode.CHANGE_USER] = new AuthenticationResponse();
        BY_CODE[CommandCode.BINLOG_DUMP] = stream;
        BY_CODE[CommandCode.BINLOG_DUMP_GTID] = stream;
        BY_CODE[CommandCode.TABLE_DUMP] = stream;
        BY_CODE[CommandCode.SUBSCRIBE_GROUP_REPLICATION_STREAM] = stream;
        BY_CODE[CommandCode.QUIT] = null;
        BY_CODE[CommandCode.STMT_CLOSE] = null;
        BY_CODE[CommandCode.STMT_SEND_LONG_DATA] = null;
    }

    private ResponseGrammars() {}

    /** Returns the grammar, or null for a command without a response. */
    public static @Nullable ResponseGrammar to(int code) {
        return BY_CODE[code & 0xFF];
    }
}
