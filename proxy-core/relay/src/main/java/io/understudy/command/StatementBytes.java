package io.understudy.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.FastThreadLocal;
import io.understudy.command.prepared.ExecuteBody;
import io.understudy.command.prepared.PreparedEntry;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.CommandCode;
import io.understudy.sql.FirstKeyword;
import io.understudy.sql.InsertedValues;
import io.understudy.sql.LockChange;
import io.understudy.sql.Lookup;
import io.understudy.sql.SetStatement;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import io.understudy.sql.TransactionToken;
import io.understudy.wire.LengthEncoded;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The payload of the current command, available during its callbacks. A heap buffer is read in place; a direct one is
 * copied once, into an array that belongs to the event loop.
 */
final class StatementBytes {
    static final FastThreadLocal<byte[]> SCRATCH = new FastThreadLocal<>() {
        @Override
        protected byte[] initialValue() {
            return new byte[4096];
        }
    };

    /** The query attribute with the name of the transaction. */
    private static final byte[] TOKEN_ATTRIBUTE = "understudy_txn".getBytes(StandardCharsets.US_ASCII);

    /** The value of {@link #array} before it is read. */
    private static final byte[] UNREAD = {};

    /** The longest scratch array that an event loop keeps; one long statement must not occupy its size for ever. */
    static final int KEPT_SCRATCH = 128 * 1024;

    /** The largest offset of the text in a statement without attributes. */
    private static final int PLAIN_OFFSET = 3;

    private final SqlAnalyzer analyzer;
    private final SessionModel model;
    /** Whether a COM_QUERY has query attributes before its text. */
    private final boolean attributes;

    private ByteBuf source = Unpooled.EMPTY_BUFFER;
    private boolean open;
    private int index;
    private int length;
    private byte[] array = UNREAD;
    private int offset;
    /** Offset of the text: after the code byte and the query attributes, if any; negative before it is sought. */
    private int start;

    StatementBytes(SqlAnalyzer analyzer, SessionModel model) {
        this.analyzer = analyzer;
        this.model = model;
        attributes = model.hasQueryAttributes();
    }

    /** Makes {@code payloadLength} bytes from {@code at}, code byte included, available until {@link #close}. */
    void open(ByteBuf buf, int at, int payloadLength) {
        open = true;
        source = buf;
        index = at;
        length = payloadLength;
        start = -1;
        array = UNREAD;
    }

    void close() {
        open = false;
        source = Unpooled.EMPTY_BUFFER;
        if (array.length > KEPT_SCRATCH && array == SCRATCH.get()) {
            SCRATCH.remove();
        }
        array = UNREAD;
    }

    boolean isOpen() {
        return open;
    }

    private byte[] array() {
        return array == UNREAD ? read() : array;
    }

    private byte[] read() {
        if (!open) {
            throw new IllegalStateException("the statement's bytes are lent only during onCommand");
        }
        if (source.hasArray()) {
            offset = source.arrayOffset() + index;
            array = source.array();
        } else {
            byte[] scratch = SCRATCH.get();
            if (scratch.length < length) {
                scratch = new byte[Integer.highestOneBit(length) * 2];
                SCRATCH.set(scratch);
            }
            source.getBytes(index, scratch, 0, length);
            array = scratch;
            offset = 0;
        }
        return array;
    }

    /** Returns the kind by the first keyword in at most {@code shown} payload bytes. */
    StatementKind kind(int shown) {
        byte[] bytes = array();
        if (textOffset() >= shown && textOffset() > PLAIN_OFFSET) {
            return StatementKind.UNKNOWN; // the text follows attributes that are longer than the bytes shown
        }
        return FirstKeyword.of(bytes, textAt(), Math.max(0, shown - textOffset()));
    }

    /**
     * Returns whether there is a semicolon before the text's last byte. Without one it is a single statement; this
     * check is cheaper than an analysis.
     */
    boolean mayHoldSeveral() {
        byte[] bytes = array();
        int end = offset + length - 1;
        for (int at = textAt(); at < end; at++) {
            if (bytes[at] == ';') {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether the text may use a user variable, a user lock or LAST_INSERT_ID(…): it has an at sign that does
     * not begin the name of a system variable, or a parenthesis behind one of their last characters, which a quote may
     * follow, or behind a comment or the beginning of an executed one. Cheaper than analysis.
     */
    boolean mayKeepState() {
        byte[] bytes = array();
        int begin = textAt();
        int end = offset + length;
        boolean lineComment = false;
        for (int at = begin; at < end; at++) {
            switch (bytes[at]) {
                case '@' -> {
                    if (at + 1 == end || bytes[at + 1] != '@') {
                        return true;
                    }
                    at++;
                }
                case '(' -> {
                    if (lineComment || maySetState(bytes, begin, at)) {
                        return true;
                    }
                }
                case '#' -> lineComment = true;
                case '-' -> lineComment |= at > begin && bytes[at - 1] == '-';
                default -> {
                    // Most of a text.
                }
            }
        }
        return false;
    }

    private static boolean maySetState(byte[] bytes, int begin, int parenthesis) {
        int at = parenthesis - 1;
        while (at > begin && bytes[at] <= ' ' && bytes[at] >= 0) {
            at--;
        }
        if (at > begin && (bytes[at] == '`' || bytes[at] == '"')) {
            at--;
        }
        if (opensExecuted(bytes, begin, at)) {
            return true;
        }
        if (at - 4 < begin) {
            return false;
        }
        int before = bytes[at - 1] | 0x20;
        return switch (bytes[at] | 0x20) {
            case 'k' -> before == 'c' && (bytes[at - 2] | 0x20) == 'o'; // GET_LOCK
            case 's' -> before == 'k' && (bytes[at - 2] | 0x20) == 'c'; // SERVICE_GET_WRITE_LOCKS
            case 'd' -> before == 'i' && bytes[at - 2] == '_'; // LAST_INSERT_ID
            case '/' -> before == '*';
            default -> false;
        };
    }

    /** Returns whether there may be the beginning of an executed comment up to a place, its version included. */
    private static boolean opensExecuted(byte[] bytes, int begin, int last) {
        int at = last;
        while (at > begin && (bytes[at] >= '0' && bytes[at] <= '9' || bytes[at] == 'M')) {
            at--;
        }
        return at > begin && (bytes[at] == '!' || bytes[at] == '*' && bytes[at - 1] == '/');
    }

    /** See {@link SqlAnalyzer#insertedValues}. */
    @Nullable
    InsertedValues insertedValues() {
        return analyzer.insertedValues(array(), textAt(), shown(), modes());
    }

    private int modes() {
        return model.settings().sqlModes();
    }

    /** Returns the number of the text's bytes at hand. */
    int shown() {
        return length - textOffset();
    }

    /** @param cut whether the statement is longer than the bytes at hand */
    LockChange lockChange(boolean cut) {
        return analyzer.lockChange(array(), textAt(), shown(), modes(), cut);
    }

    StatementSummary summary() {
        return analyzer.summarize(array(), textAt(), shown(), modes());
    }

    String text() {
        return new String(array(), textAt(), shown(), StandardCharsets.UTF_8);
    }

    String normalizedText() {
        return analyzer.normalize(array(), textAt(), shown(), modes());
    }

    /**
     * Returns the client's name for the transaction, see {@link TransactionToken}.
     *
     * @param prepared the statement that an execution executes
     */
    @Nullable
    String token(@Nullable PreparedEntry prepared) {
        int at = -1;
        if (attributes) {
            byte[] name = TOKEN_ATTRIBUTE;
            if (prepared == null) {
                ExecuteBody own = textOffset() > PLAIN_OFFSET ? ExecuteBody.ofQuery(source, index, length) : null;
                at = own == null ? -1 : own.attributeAt(name, 0);
            } else if (source.getByte(index) == CommandCode.STMT_EXECUTE) {
                at = prepared.attributeAt(source, index, length, model.capabilities(), name);
            }
        }
        if (at >= 0) {
            return attribute(source, at);
        } else if (prepared == null) {
            return TransactionToken.in(array(), textAt(), offset + length);
        }
        byte[] text = prepared.text();
        return text == null ? null : TransactionToken.in(text, 0, text.length);
    }

    private static @Nullable String attribute(ByteBuf buf, int at) {
        long length = LengthEncoded.get(buf, at);
        if (length > TransactionToken.LONGEST) {
            return null;
        }
        byte[] bytes = new byte[Math.max(0, (int) length)];
        buf.getBytes(at + LengthEncoded.size(buf.getUnsignedByte(at)), bytes);
        return TransactionToken.name(bytes, 0, bytes.length);
    }

    @Nullable
    Lookup lookup() {
        return analyzer.lookup(array(), textAt(), shown(), modes());
    }

    @Nullable
    SetStatement setStatement() {
        return SetStatement.parse(array(), textAt(), shown(), modes());
    }

    byte[] copyText() {
        return Arrays.copyOfRange(array(), textAt(), offset + length);
    }

    /** Returns where the text begins in {@link #array()}, which has been read. */
    private int textAt() {
        return offset + textOffset();
    }

    private int textOffset() {
        if (start < 0) {
            start = attributes ? textOffset(source, index, length, model.capabilities()) : Math.min(1, length);
        }
        return start;
    }

    /**
     * Returns the offset of the text in a payload: behind the code and the query attributes, if any. It is the
     * payload's length when the text cannot be found, which makes it empty.
     */
    static int textOffset(ByteBuf buf, int index, int length, long capabilities) {
        if ((capabilities & Capabilities.QUERY_ATTRIBUTES) == 0 || buf.getByte(index) != CommandCode.QUERY) {
            return Math.min(1, length);
        }
        if (length >= PLAIN_OFFSET && buf.getByte(index + 1) == 0 && buf.getByte(index + 2) == 1) {
            return PLAIN_OFFSET;
        }
        ExecuteBody body = ExecuteBody.ofQuery(buf, index, length);
        int at = body == null ? -1 : body.endOfValues();
        return at < 0 ? length : at - index;
    }

    /**
     * Appends code and body without query attributes, which a connection that has not agreed on them would not
     * understand. Returns false when they cannot be separated.
     *
     * @param prepared the statement that an execution executes
     */
    boolean copyPayload(ByteBuf out, @Nullable PreparedEntry prepared) {
        if (!open) {
            return false;
        }
        if (prepared != null && source.getByte(index) == CommandCode.STMT_EXECUTE) {
            if (attributes) {
                return prepared.copyExecution(out, source, index, length, model.capabilities());
            }
            out.writeBytes(source, index, length);
            return true;
        }
        out.writeBytes(source, index, 1).writeBytes(source, index + textOffset(), shown());
        return true;
    }
}
