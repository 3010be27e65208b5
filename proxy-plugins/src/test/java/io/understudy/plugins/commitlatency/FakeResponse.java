package io.understudy.plugins.commitlatency;

import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ResultGtid;
import io.understudy.plugins.testkit.StatementView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A command with its response, as a plugin sees them. */
final class FakeResponse extends StatementView implements ResponseView {
    static final int IN_TRANS = 1;
    static final int AUTOCOMMIT = 2;

    private int error;
    private int status = AUTOCOMMIT;
    private long affected;
    private long rows;
    private @Nullable String gtid;
    private long gtidNanos;
    private final List<ResultGtid> earlier = new ArrayList<>();
    private long sent = 1_000;
    private long lastByte = 2_000;

    private FakeResponse(String sql) {
        super(sql);
    }

    static FakeResponse to(String sql) {
        return new FakeResponse(sql);
    }

    FakeResponse inTrans() {
        status |= IN_TRANS;
        return this;
    }

    FakeResponse noAutocommit() {
        status &= ~AUTOCOMMIT;
        return this;
    }

    FakeResponse error(int code) {
        error = code;
        return this;
    }

    FakeResponse affected(long count) {
        affected = count;
        return this;
    }

    FakeResponse rows(long count) {
        rows = count;
        return this;
    }

    FakeResponse gtid(String text) {
        gtid = text;
        return this;
    }

    /** Adds a GTID reported by a result, after those reported before. */
    FakeResponse earlierGtid(String text, long nanos) {
        String before = gtid;
        if (before != null) {
            earlier.add(new ResultGtid(before, gtidNanos));
        }
        gtid = text;
        gtidNanos = nanos;
        return this;
    }

    FakeResponse at(long sentNanos, long lastByteNanos) {
        sent = sentNanos;
        lastByte = lastByteNanos;
        return this;
    }

    @Override
    public long receivedNanos() {
        return sent;
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
    public long gtidNanos() {
        return gtidNanos;
    }

    @Override
    public List<ResultGtid> earlierGtids() {
        return earlier;
    }
}
