package io.understudy.command.response;

import io.netty.buffer.ByteBuf;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.CommandCode;
import io.understudy.wire.Marker;
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

    /**
     * The response to COM_CHANGE_USER: an exchange as at login that ends with OK or ERR. Other packets belong to the
     * authentication plugin, and the client may respond to them.
     */
    private static final class AuthenticationResponse extends ResponseGrammar {
        @Override
        public int packet(ResponseProgress p, int length, int first) {
            if (first == Marker.OK) {
                p.end();
                return OK_PACKET;
            }
            if (first == Marker.ERR) {
                p.end();
                return ERR_LIMIT;
            }
            p.wantClientData(true);
            return 0;
        }

        /**
         * Numbers of the exchange continue from the command; number 0 is a command sent before the server has decided.
         */
        @Override
        public boolean takesClientPacket(int sequence) {
            return sequence != 0;
        }

        @Override
        public void inspect(ResponseProgress p, ByteBuf buf, int index, int length) {
            if (p.first == Marker.OK) {
                p.readOk(buf, index, length);
            } else {
                p.readErr(buf, index, length);
            }
        }
    }

    /**
     * The endless response to COM_BINLOG_DUMP and similar commands. Every packet begins with 0x00; an EOF packet ends
     * the stream of a client that asked not to wait, an ERR packet ends it with an error. Packets that the client sends
     * meanwhile, the acknowledgements of a semi-synchronous replica, belong to the stream.
     */
    private static final class StreamResponse extends ResponseGrammar {
        @Override
        public int packet(ResponseProgress p, int length, int first) {
            if (first == Marker.ERR) {
                p.end();
                return ERR_LIMIT;
            }
            if (first == Marker.EOF && length < 9) {
                p.end();
                return 0;
            }
            p.wantClientData(true);
            return 0;
        }

        @Override
        public void inspect(ResponseProgress p, ByteBuf buf, int index, int length) {
            p.readErr(buf, index, length);
        }
    }

    /** A response of one packet: OK, EOF, ERR, or, for COM_STATISTICS, a plain string. */
    private static final class SinglePacketResponse extends ResponseGrammar {
        private static final int OK_MIN = 7;

        @Override
        public int packet(ResponseProgress p, int length, int first) {
            return switch (first) {
                case Marker.OK -> {
                    p.end();
                    yield length >= OK_MIN ? OK_PACKET : 0;
                }
                case Marker.EOF -> {
                    p.end();
                    yield isOk(p, length) ? OK_PACKET : EOF_LENGTH;
                }
                case Marker.ERR -> ERR_LIMIT;
                default -> {
                    p.end();
                    yield 0;
                }
            };
        }

        /** Where EOF is deprecated, an OK packet with the marker of an EOF packet replaces it. */
        private static boolean isOk(ResponseProgress p, int length) {
            return length >= OK_MIN && p.has(Capabilities.DEPRECATE_EOF);
        }

        @Override
        public void inspect(ResponseProgress p, ByteBuf buf, int index, int length) {
            switch (p.first) {
                case Marker.OK -> p.readOk(buf, index, length);
                case Marker.EOF -> {
                    if (isOk(p, length)) {
                        p.readOk(buf, index, length);
                    } else {
                        p.readEof(buf, index, length);
                    }
                }
                default -> error(p, buf, index, length);
            }
        }
    }

    /**
     * The response to a command that neither product had when this was written. Its end is not known, so it ends when
     * the client sends its next command. Only an ERR packet at its beginning, as sent by a server that does not know
     * the command either, is a complete response.
     */
    private static final class UnknownResponse extends ResponseGrammar {
        @Override
        public int packet(ResponseProgress p, int length, int first) {
            if (p.packets() == 1 && first == Marker.ERR) {
                p.end();
            }
            return 0;
        }
    }
}
