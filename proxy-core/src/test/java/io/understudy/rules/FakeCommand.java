package io.understudy.rules;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.PreparedStatement;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A COM_QUERY with its text analysed as by the proxy. Counts how often the analysis was requested. */
final class FakeCommand implements CommandView {
    static final SqlAnalyzer ANALYZER = new SqlAnalyzer();

    private final @Nullable String sql;
    final @Nullable StatementSummary summary;
    private final @Nullable PreparedStatement prepared;
    int summariesAsked;
    int textsAsked;

    FakeCommand(@Nullable String sql) {
        this.sql = sql;
        summary = sql == null ? null : summarize(sql);
        prepared = null;
    }

    /** Creates a statement that was prepared in another schema than the session's current one. */
    FakeCommand(String sql, String preparedIn) {
        this.sql = sql;
        summary = summarize(sql);
        prepared = new FakePrepared(preparedIn, summary);
    }

    static StatementSummary summarize(String sql) {
        byte[] bytes = sql.getBytes(StandardCharsets.UTF_8);
        return ANALYZER.summarize(bytes, 0, bytes.length, 0);
    }

    static String normalize(String sql) {
        byte[] bytes = sql.getBytes(StandardCharsets.UTF_8);
        return ANALYZER.normalize(bytes, 0, bytes.length, 0);
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
        return sql == null ? 1 << 20 : sql.length() + 1;
    }

    @Override
    public boolean isStatement() {
        return true;
    }

    @Override
    public StatementKind kind() {
        return summary == null ? StatementKind.UNKNOWN : summary.kind();
    }

    @Override
    public @Nullable StatementSummary summary() {
        summariesAsked++;
        return summary;
    }

    @Override
    public @Nullable String text() {
        return sql;
    }

    @Override
    public @Nullable String normalizedText() {
        textsAsked++;
        return sql == null ? null : normalize(sql);
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
        throw new IllegalStateException("no packet here");
    }

    @Override
    public long receivedNanos() {
        return 0;
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
    public void attach(@Nullable Object attachment) {
        throw new IllegalStateException("rules attach nothing");
    }

    @Override
    public @Nullable Object attachment() {
        return null;
    }
}
