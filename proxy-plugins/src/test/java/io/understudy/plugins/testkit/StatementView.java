package io.understudy.plugins.testkit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.PreparedStatement;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A COM_QUERY of one session as a plugin sees it: outside a transaction, with its whole text available. */
public abstract class StatementView implements CommandView {
    private static final SqlAnalyzer ANALYZER = new SqlAnalyzer();
    private static final int COM_QUERY = 3;

    protected final String sql;
    private final StatementSummary summary;
    private final StatementKind kind;
    private @Nullable Object attachment;

    protected StatementView(String sql) {
        this.sql = sql;
        byte[] bytes = sql.getBytes(StandardCharsets.UTF_8);
        summary = ANALYZER.summarize(bytes, 0, bytes.length, 0);
        kind = ANALYZER.firstKeyword(bytes, 0, bytes.length, 0);
    }

    @Override
    public int code() {
        return COM_QUERY;
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
        return kind;
    }

    @Override
    public StatementSummary summary() {
        return summary;
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
        throw new UnsupportedOperationException("no packet here");
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
    public void attach(@Nullable Object value) {
        attachment = value;
    }

    @Override
    public @Nullable Object attachment() {
        return attachment;
    }
}
