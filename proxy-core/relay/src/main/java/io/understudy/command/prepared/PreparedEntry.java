package io.understudy.command.prepared;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.command.settings.SqlModeSetting;
import io.understudy.plugin.PreparedStatement;
import io.understudy.protocol.CommandCode;
import io.understudy.sql.InsertedValues;
import io.understudy.sql.LockChange;
import io.understudy.sql.SetStatement;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import org.jspecify.annotations.Nullable;

/** A prepared statement of a session, with the settings that give its text its meaning. */
public final class PreparedEntry implements PreparedStatement {
    private final StatementKind kind;
    private final @Nullable LockChange locks;
    private final byte @Nullable [] text;
    private int sqlModes;
    private final Preparation preparation;
    private @Nullable String schema;
    private SqlModeSetting sqlMode;
    private final SqlAnalyzer analyzer;
    private @Nullable StatementSummary summary;
    private @Nullable InsertedValues inserted;
    private boolean insertedRead;
    private InsertIdChange insertIdChange = InsertIdChange.REPORTED;
    private int id = -1;
    /** The id on the server that the session is on now: another one than the client's once the session has moved. */
    private int serverId = -1;

    private int parameters = -1;
    private int columns;
    private int definitions;
    private byte @Nullable [] types;
    private LongData longData = new LongData();
    private ByteBuf early = Unpooled.EMPTY_BUFFER;
    private long earlyCapabilities;
    private boolean cursor;
    private boolean closed;
    /** Whether an execution had types that could not be read. */
    private boolean typesUnread;
    /** Whether the server the session is on has not seen the types, which the client does not repeat. */
    private boolean typesDue;

    /**
     * The settings at the time of preparation.
     *
     * @param schema null also while it is not known, because a change of it is in flight
     */
    public record Preparation(
            @Nullable String schema, @Nullable String characterSet, SqlModeSetting sqlMode, boolean settingsKnown) {}

    /** @param locks how each execution changes the session's locks; null if it does not */
    public PreparedEntry(
            StatementKind kind,
            @Nullable LockChange locks,
            byte @Nullable [] text,
            int sqlModes,
            Preparation preparation,
            SqlAnalyzer analyzer) {
        this.kind = kind;
        this.locks = locks;
        this.text = text;
        this.sqlModes = sqlModes;
        this.preparation = preparation;
        this.schema = preparation.schema();
        this.sqlMode = preparation.sqlMode();
        this.analyzer = analyzer;
    }

    /** Returns how each execution changes the session's locks; null if it does not. */
    public @Nullable LockChange locks() {
        return locks;
    }

    /** Sets how each execution changes LAST_INSERT_ID(). */
    public void setInsertIdChange(InsertIdChange change) {
        insertIdChange = change;
    }

    public InsertIdChange insertIdChange() {
        return insertIdChange;
    }

    /** Called with the response to the preparation: a change of the schema may have been in flight ahead of it. */
    public void preparedIn(@Nullable String schemaThen) {
        schema = schemaThen;
    }

    /** Sets the id on the server where the client gets another one. */
    void onServer(int statementId) {
        serverId = statementId;
    }

    /** Keeps what the server has said of the statement, ahead of {@link #prepared}. */
    public void described(int columnCount, int definitionHash) {
        columns = columnCount;
        definitions = definitionHash;
    }

    int serverId() {
        return serverId;
    }

    /** Returns whether a server describes the statement otherwise than the one that the client has asked did. */
    boolean changed(int parameterCount, int columnCount, int definitionHash) {
        return parameters != parameterCount || columns != columnCount || definitions != definitionHash;
    }

    /** Called when another server has prepared the statement. */
    void moved(int statementId) {
        serverId = statementId;
        typesDue = parameters > 0 && types != null;
    }

    boolean typesDue() {
        return typesDue;
    }

    /** Called when the server has executed the statement, with types. */
    void typesSeen() {
        typesDue = false;
    }

    /** Returns whether an execution cannot be repeated on another server, because its types are not known. */
    boolean typesUnread() {
        return parameters > 0 && typesUnread;
    }

    /** Notes that an execution is not kept whose types could be needed. */
    void missedTypes() {
        typesUnread = true;
    }

    Preparation preparation() {
        settle();
        return new Preparation(schema, preparation.characterSet(), sqlMode, preparation.settingsKnown());
    }

    void prepared(int statementId, int parameterCount) {
        id = statementId;
        serverId = serverId < 0 ? statementId : serverId;
        parameters = parameterCount;
        if (early.isReadable()) {
            ByteBuf execution = early;
            early = Unpooled.EMPTY_BUFFER;
            learnTypes(execution, 0, execution.readableBytes(), earlyCapabilities);
        }
    }

    /** Returns whether the server has prepared the statement. */
    boolean isPrepared() {
        return parameters >= 0;
    }

    /** Ends the statement, which the server may still be preparing or executing. */
    void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }

    LongData collected() {
        return longData;
    }

    /** Drops long data after they have been used or reset. */
    void forgetLongData() {
        longData = new LongData();
    }

    void setCursor(boolean open) {
        cursor = open;
    }

    boolean cursorOpen() {
        return cursor;
    }

    int textLength() {
        return text == null ? 0 : text.length;
    }

    /** Returns the bytes that are kept until the server has prepared the statement: its text and an execution. */
    int requestedLength() {
        return textLength() + early.readableBytes();
    }

    /**
     * Keeps the parameter types of a COM_STMT_EXECUTE or COM_STMT_BULK_EXECUTE, which clients send with the first
     * execution only. Types sent before the response to the preparation are kept until the number of parameters is
     * known.
     *
     * @param index index of the payload's first byte, the command code
     */
    public void learnTypes(ByteBuf buf, int index, int length, long capabilities) {
        if (parameters < 0) {
            typesUnread |= early.isReadable(); // which may have had them
            early = Unpooled.buffer(length).writeBytes(buf, index, length);
            earlyCapabilities = capabilities;
            return;
        }
        if (buf.getUnsignedByte(index) == CommandCode.STMT_BULK_EXECUTE) {
            if (BulkBody.bound(buf, index, length)) {
                learned(BulkBody.types(buf, index, length, parameters));
            }
        } else if (!ExecuteBody.repeats(buf, index, length, parameters, capabilities, types)) {
            ExecuteBody body = ExecuteBody.of(buf, index, length, parameters, capabilities);
            if (body == null || body.bound()) {
                learned(body == null ? null : body.types());
            }
        }
    }

    private void learned(byte @Nullable [] now) {
        types = now == null ? types : now;
        typesUnread = now == null;
    }

    /** Returns whether an execution has to be given the types, because the client does not repeat them. */
    public boolean lacksTypes(ByteBuf buf, int index, int length, long capabilities) {
        if (!typesDue) {
            return false;
        }
        if (buf.getUnsignedByte(index) == CommandCode.STMT_BULK_EXECUTE) {
            return !BulkBody.bound(buf, index, length);
        }
        ExecuteBody body = ExecuteBody.of(buf, index, length, parameters, capabilities);
        return body != null && !body.bound();
    }

    /**
     * Appends the bytes at hand of an execution that {@link #lacksTypes}, with the types put in. Returns the number of
     * bytes put in, or -1, with nothing appended, if that cannot be done.
     */
    public int copyWithTypes(ByteBuf out, ByteBuf buf, int index, int length, long capabilities) {
        byte[] own = parameterTypes();
        if (own == null) {
            return -1;
        }
        if (buf.getUnsignedByte(index) == CommandCode.STMT_BULK_EXECUTE) {
            return BulkBody.copyWithTypes(out, buf, index, length, own);
        }
        ExecuteBody body = ExecuteBody.of(buf, index, length, parameters, capabilities);
        return body == null ? -1 : body.copyWithTypes(out, own);
    }

    /**
     * Appends {@code length} bytes of an execution without its query attributes; returns false when they cannot be
     * separated.
     */
    public boolean copyExecution(ByteBuf out, ByteBuf buf, int index, int length, long capabilities) {
        ExecuteBody body = parameters < 0 ? null : ExecuteBody.of(buf, index, length, parameters, capabilities);
        return body != null && body.copyWithoutAttributes(out, parameters, types, longData.pending());
    }

    /**
     * Returns the values that an execution gives, if the statement is a plain INSERT or REPLACE; null if it is none, or
     * not certain to be one. {@link #learnTypes} has been called.
     */
    public @Nullable InsertedValues insertedBy(ByteBuf buf, int index, int length, long capabilities) {
        InsertedValues own = inserted();
        if (own == null || longData.pending() || typesUnread) {
            return null;
        }
        int count = own.parameters();
        if (count == 0) {
            return own;
        }
        ExecuteBody body = ExecuteBody.of(buf, index, length, count, capabilities);
        InsertedValues all = own.copy();
        return body != null && body.addValues(all, count, types) ? all : null;
    }

    private @Nullable InsertedValues inserted() {
        settle();
        if (!insertedRead && text != null) {
            insertedRead = true;
            inserted = analyzer.insertedValues(text, 0, text.length, sqlModes);
        }
        return inserted;
    }

    /** Returns the index of the value of a text attribute of an execution; -1 if there is none. */
    public int attributeAt(ByteBuf buf, int index, int length, long capabilities, byte[] name) {
        ExecuteBody body = parameters < 0 || longData.pending()
                ? null
                : ExecuteBody.of(buf, index, length, parameters, capabilities);
        return body == null ? -1 : body.attributeAt(name, parameters);
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
        settle();
        if (summary == null && text != null) {
            summary = analyzer.summarize(text, 0, text.length, sqlModes);
        }
        return summary;
    }

    /** Resolves the mode that the preparation took over from the server, which may have become known since. */
    @SuppressWarnings("ReferenceEquality") // settled() returns the same object while nothing is decided
    private void settle() {
        if (sqlMode.adopted() == null) {
            return;
        }
        SqlModeSetting now = sqlMode.settled();
        if (now != sqlMode) {
            sqlMode = now;
            sqlModes = now.on(sqlModes);
            summary = null;
            insertedRead = false;
        }
    }

    @Nullable
    public String normalizedText() {
        settle();
        return text == null ? null : analyzer.normalize(text, 0, text.length, sqlModes);
    }

    @Override
    public @Nullable String schema() {
        return schema;
    }

    /** Returns the parsed SET statement, or null when it is none or cannot be parsed. */
    @Nullable
    public SetStatement setStatement() {
        settle();
        return text == null ? null : SetStatement.parse(text, 0, text.length, sqlModes);
    }

    @Override
    public boolean settingsKnown() {
        return preparation.settingsKnown();
    }

    @Override
    public @Nullable String characterSet() {
        return preparation.characterSet();
    }

    @Override
    public @Nullable String sqlMode() {
        settle();
        return sqlMode.portable();
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
        return types == null || parameters < 0 || types.length <= parameters * 2
                ? types
                : java.util.Arrays.copyOf(types, parameters * 2);
    }

    @Override
    public boolean longDataPending() {
        return longData.pending();
    }

    @Override
    public byte @Nullable [] longData() {
        return longData.packets();
    }
}
