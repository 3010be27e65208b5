package io.understudy.plugins.commitlatency;

import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ResultGtid;
import io.understudy.plugins.testkit.StatementView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A command with its answer, as the proxy would show them. */
final class FakeAnswer extends StatementView implements ResponseView {
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
    private long answered = 2_000;

    private FakeAnswer(String sql) {
        super(sql);
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

    /** A result told it, after those told before. */
    FakeAnswer told(String text, long nanos) {
        String before = gtid;
        if (before != null) {
            earlier.add(new ResultGtid(before, gtidNanos));
        }
        gtid = text;
        gtidNanos = nanos;
        return this;
    }

    FakeAnswer at(long sentNanos, long answeredNanos) {
        sent = sentNanos;
        answered = answeredNanos;
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

    @Override
    public long gtidNanos() {
        return gtidNanos;
    }

    @Override
    public List<ResultGtid> earlierGtids() {
        return earlier;
    }
}
