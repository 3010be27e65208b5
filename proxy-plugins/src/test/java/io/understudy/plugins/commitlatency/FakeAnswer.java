package io.understudy.plugins.commitlatency;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.PreparedStatement;
import io.understudy.plugin.ResponseView;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A command with its answer, as the proxy would show them. */
final class FakeAnswer implements CommandView, ResponseView {
    private static final SqlAnalyzer ANALYZER = new SqlAnalyzer();
    static final int IN_TRANS = 1;
    static final int AUTOCOMMIT = 2;

    private final String sql;
    private int error;
    private int status = AUTOCOMMIT;
    private long affected;
    private long rows;
    private @Nullable String gtid;
    private long sent = 1_000;
    private long answered = 2_000;

    private FakeAnswer(String sql) {
        this.sql = sql;
    }

    static FakeAnswer to(String sql) {
        return new FakeAnswer(sql);
    }

    FakeAnswer inTrans() {
        status |= IN_TRANS;
        return this;
    }

    FakeAnswer noAutocommit() {
        status &= ~AUTOCOMMIT;
        return this;
    }

    FakeAnswer error(int code) {
        error = code;
        return this;
    }

    FakeAnswer affected(long count) {
        affected = count;
        return this;
    }

    FakeAnswer rows(long count) {
        rows = count;
        return this;
    }

    FakeAnswer gtid(String text) {
        gtid = text;
        return this;
    }

    FakeAnswer at(long sentNanos, long answeredNanos) {
        sent = sentNanos;
        answered = answeredNanos;
        return this;
    }

    @Override
    public int code() {
        return 3;
    }

    @Override
    public long number() {
        return 1;
    }

    @Override
    public int payloadLength() {
        return sql.length() + 1;
    }

    @Override
    public boolean isStatement() {
        return true;
    }

    @Override
    public StatementKind kind() {
        StatementSummary summary = summary();
        return summary == null ? StatementKind.UNKNOWN : summary.kind();
    }

    @Override
    public @Nullable StatementSummary summary() {
        byte[] text = sql.getBytes(StandardCharsets.UTF_8);
        return ANALYZER.summarize(text, 0, text.length, 0);
    }

    @Override
    public String text() {
        return sql;
    }

    @Override
    public String normalizedText() {
        return sql;
    }

    @Override
    public @Nullable PreparedStatement prepared() {
        return null;
    }

    @Override
    public boolean complete() {
        return true;
    }

    @Override
    public ByteBuf copyPacket(ByteBufAllocator alloc) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long receivedNanos() {
        return sent;
    }

    @Override
    public boolean inTransactionBefore() {
        return false;
    }

    @Override
    public boolean wroteInTransactionBefore() {
        return false;
    }

    @Override
    public void attach(@Nullable Object attachment) {}

    @Override
    public @Nullable Object attachment() {
        return null;
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
    public int status() {
        return status;
    }

    @Override
    public boolean inTransaction() {
        return (status & IN_TRANS) != 0;
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
        return answered;
    }

    @Override
    public long lastByteNanos() {
        return answered;
    }

    @Override
    public @Nullable String gtid() {
        return gtid;
    }
}
