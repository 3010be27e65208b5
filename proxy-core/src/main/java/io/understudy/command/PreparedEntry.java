package io.understudy.command;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.PreparedStatement;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import io.understudy.wire.Capabilities;
import io.understudy.wire.LengthEncoded;
import org.jspecify.annotations.Nullable;

/** A prepared statement of a session: what its executions mean. */
final class PreparedEntry implements PreparedStatement {
    private static final int PARAMETER_COUNT_AVAILABLE = 8;

    private final StatementKind kind;
    private final byte @Nullable [] text;
    private final int sqlModes;
    private final SqlAnalyzer analyzer;
    private @Nullable StatementSummary summary;
    private int id = -1;
    private int parameters = -1;
    private byte @Nullable [] types;
    private boolean longData;
    private boolean cursor;

    PreparedEntry(StatementKind kind, byte @Nullable [] text, int sqlModes, SqlAnalyzer analyzer) {
        this.kind = kind;
        this.text = text;
        this.sqlModes = sqlModes;
        this.analyzer = analyzer;
    }

    void answered(int statementId, int parameterCount) {
        id = statementId;
        parameters = parameterCount;
    }

    void longData() {
        longData = true;
    }

    void executed() {
        longData = false;
    }

    void reset() {
        longData = false;
        cursor = false;
    }

    void setCursor(boolean open) {
        cursor = open;
    }

    boolean cursorOpen() {
        return cursor;
    }

    int textLength() {
        byte[] bytes = text;
        return bytes == null ? 0 : bytes.length;
    }

    /**
     * Remembers the parameter types of a COM_STMT_EXECUTE, which clients send with the first execution only.
     *
     * @param index of the payload's first byte, the command code
     */
    void learnTypes(ByteBuf buf, int index, int length, long capabilities) {
        if (length < 10) {
            return;
        }
        int at = index + 10;
        int end = index + length;
        int count = parameters;
        boolean named = (capabilities & Capabilities.QUERY_ATTRIBUTES) != 0;
        if (named && (buf.getByte(index + 5) & PARAMETER_COUNT_AVAILABLE) != 0) {
            if (at >= end || at + LengthEncoded.size(buf.getUnsignedByte(at)) > end) {
                return;
            }
            count = (int) LengthEncoded.get(buf, at);
            at += LengthEncoded.size(buf.getUnsignedByte(at));
        }
        if (count <= 0 || count > 65_535) {
            return;
        }
        at += (count + 7) / 8;
        if (at >= end || buf.getByte(at) != 1) {
            return;
        }
        at++;
        byte[] learned = new byte[count * 2];
        for (int i = 0; i < count; i++) {
            if (at + 2 > end) {
                return;
            }
            buf.getBytes(at, learned, i * 2, 2);
            at += 2;
            if (named) {
                if (at >= end || at + LengthEncoded.size(buf.getUnsignedByte(at)) > end) {
                    return;
                }
                long name = LengthEncoded.get(buf, at);
                at += LengthEncoded.size(buf.getUnsignedByte(at));
                if (name < 0 || name > end - at) {
                    return;
                }
                at += (int) name;
            }
        }
        byte[] before = types;
        if (before == null || !java.util.Arrays.equals(before, learned)) {
            types = learned;
        }
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public StatementKind kind() {
        return kind;
    }

    @Override
    public @Nullable StatementSummary summary() {
        byte[] bytes = text;
        if (summary == null && bytes != null) {
            summary = analyzer.summarize(bytes, 0, bytes.length, sqlModes);
        }
        return summary;
    }

    @Nullable
    String normalizedText() {
        byte[] bytes = text;
        return bytes == null ? null : analyzer.normalize(bytes, 0, bytes.length, sqlModes);
    }

    @Override
    public byte @Nullable [] text() {
        return text;
    }

    @Override
    public int parameters() {
        return parameters;
    }

    @Override
    public byte @Nullable [] parameterTypes() {
        return types;
    }

    @Override
    public boolean longDataPending() {
        return longData;
    }
}
