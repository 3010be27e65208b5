package io.understudy.testkit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.PreparedStatement;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ResultGtid;
import io.understudy.plugin.RowWatcher;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.sql.FirstKeyword;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A COM_QUERY and its response as observers see them: both views, like the proxy's own exchange. Its text is analysed
 * as by the proxy; it starts outside a transaction and ends with OK, unless the test says otherwise.
 */
public final class FakeExchange implements CommandView, ResponseView {
    private static final SqlAnalyzer ANALYZER = new SqlAnalyzer();
    private static final int LONG_PAYLOAD = 1 << 20;

    private final @Nullable String sql;
    private final @Nullable StatementSummary summary;
    private final StatementKind kind;
    private @Nullable PreparedStatement prepared;
    private @Nullable Object attachment;
    private int code = CommandCode.QUERY;
    private long number = 1;
    private boolean inTransactionBefore;
    private @Nullable String token;
    private int summaryCalls;
    private int textCalls;

    private int error;
    private @Nullable String errorMessage;
    private int status = ServerStatus.AUTOCOMMIT;
    private long affected;
    private long rows;
    private @Nullable String gtid;
    private @Nullable String omitted;
    private long gtidNanos;
    private final List<ResultGtid> earlier = new ArrayList<>();
    private long sent = 1_000;
    private long lastByte = 2_000;

    private FakeExchange(@Nullable String sql) {
        this.sql = sql;
        summary = sql == null ? null : summarize(sql);
        kind = sql == null ? StatementKind.UNKNOWN : FirstKeyword.of(bytes(sql), 0, bytes(sql).length);
    }

    /** Returns a COM_QUERY; null stands for a text that is too long to be kept. */
    public static FakeExchange to(@Nullable String sql) {
        return new FakeExchange(sql);
    }

    /** Returns the proxy's summary of a statement. */
    public static StatementSummary summarize(String sql) {
        return ANALYZER.summarize(bytes(sql), 0, bytes(sql).length, 0);
    }

    /** Returns the proxy's normalised text of a statement. */
    public static String normalize(String sql) {
        return ANALYZER.normalize(bytes(sql), 0, bytes(sql).length, 0);
    }

    private static byte[] bytes(String sql) {
        return sql.getBytes(StandardCharsets.UTF_8);
    }

    /** Makes this the execution of a statement that was prepared in another schema than the session's current one. */
    public FakeExchange preparedIn(String schema) {
        prepared = new FakePrepared(schema, summary);
        return this;
    }

    /** Makes it another command than COM_QUERY, such as COM_STMT_PREPARE of the text. */
    public FakeExchange as(int commandCode) {
        code = commandCode;
        return this;
    }

    public FakeExchange numbered(long value) {
        number = value;
        return this;
    }

    public FakeExchange beganInTransaction(boolean was) {
        inTransactionBefore = was;
        return this;
    }

    public FakeExchange status(boolean inTransaction, boolean autocommit) {
        status = (inTransaction ? ServerStatus.IN_TRANS : 0) | (autocommit ? ServerStatus.AUTOCOMMIT : 0);
        return this;
    }

    public FakeExchange inTrans() {
        status |= ServerStatus.IN_TRANS;
        return this;
    }

    public FakeExchange noAutocommit() {
        status &= ~ServerStatus.AUTOCOMMIT;
        return this;
    }

    public FakeExchange error(int code) {
        return error(code, null);
    }

    /** Makes the response an ERR packet, or OK if {@code code} is 0. */
    public FakeExchange error(int code, @Nullable String message) {
        error = code;
        errorMessage = message;
        return this;
    }

    public FakeExchange affected(long count) {
        affected = count;
        return this;
    }

    public FakeExchange rows(long count) {
        rows = count;
        return this;
    }

    /** Has the client name its transaction. */
    public FakeExchange token(String name) {
        token = name;
        return this;
    }

    public FakeExchange gtid(String text) {
        gtid = text;
        return this;
    }

    /** Makes the response leave out this GTID if it is that of a commit. */
    public FakeExchange omittedGtid(String text) {
        omitted = text;
        return this;
    }

    /** Adds a GTID reported by a result, after those reported before. */
    public FakeExchange earlierGtid(String text, long nanos) {
        String before = gtid;
        if (before != null) {
            earlier.add(new ResultGtid(before, gtidNanos));
        }
        gtid = text;
        gtidNanos = nanos;
        return this;
    }

    public FakeExchange at(long sentNanos, long lastByteNanos) {
        sent = sentNanos;
        lastByte = lastByteNanos;
        return this;
    }

    /** Returns how often the summary was requested. */
    public int summaryCalls() {
        return summaryCalls;
    }

    /** Returns how often the normalised text was requested. */
    public int textCalls() {
        return textCalls;
    }

    @Override
    public int code() {
        return code;
    }

    @Override
    public long number() {
        return number;
    }

    @Override
    public int payloadLength() {
        return sql == null ? LONG_PAYLOAD : sql.length() + 1;
    }

    @Override
    public boolean isStatement() {
        return code == CommandCode.QUERY;
    }

    @Override
    public StatementKind kind() {
        return kind;
    }

    @Override
    public @Nullable StatementSummary summary() {
        summaryCalls++;
        return summary;
    }

    @Override
    public @Nullable String text() {
        return sql;
    }

    @Override
    public @Nullable String normalizedText() {
        textCalls++;
        return sql == null ? null : normalize(sql);
    }

    @Override
    public boolean several() {
        return sql != null && sql.indexOf(';') >= 0;
    }

    @Override
    public @Nullable PreparedStatement prepared() {
        return prepared;
    }

    @Override
    public boolean complete() {
        return sql != null;
    }

    @Override
    public ByteBuf copyPacket(ByteBufAllocator alloc) {
        throw new UnsupportedOperationException("no packet here");
    }

    @Override
    public long receivedNanos() {
        return sent;
    }

    @Override
    public @Nullable String transactionToken() {
        return token;
    }

    @Override
    public boolean inTransactionBefore() {
        return inTransactionBefore;
    }

    @Override
    public boolean wroteInTransactionBefore() {
        return false;
    }

    @Override
    public void attach(@Nullable Object value) {
        attachment = value;
    }

    @Override
    public boolean watchRows(RowWatcher watcher) {
        return false; // has no rows
    }

    @Override
    public @Nullable Object attachment() {
        return attachment;
    }

    @Override
    public boolean ok() {
        return error == 0;
    }

    @Override
    public int errorCode() {
        return error;
    }

    @Override
    public @Nullable String errorMessage() {
        return errorMessage;
    }

    @Override
    public int status() {
        return status;
    }

    @Override
    public boolean inTransaction() {
        return (status & ServerStatus.IN_TRANS) != 0;
    }

    @Override
    public long affectedRows() {
        return affected;
    }

    @Override
    public long rows() {
        return rows;
    }

    @Override
    public long bytes() {
        return 7;
    }

    @Override
    public long firstByteNanos() {
        return lastByte;
    }

    @Override
    public long lastByteNanos() {
        return lastByte;
    }

    @Override
    public @Nullable String gtid() {
        return gtid;
    }

    @Override
    public @Nullable String omittedGtid() {
        return gtid == null ? omitted : null;
    }

    @Override
    public long gtidNanos() {
        return gtidNanos;
    }

    @Override
    public List<ResultGtid> earlierGtids() {
        return earlier;
    }
}
