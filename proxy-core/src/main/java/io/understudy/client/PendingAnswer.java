package io.understudy.client;

import io.understudy.command.response.Answer;
import io.understudy.command.response.AnswerProgress;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.WireResponse;
import io.understudy.plugin.WireStream;
import io.understudy.wire.ServerStatus;
import io.understudy.wire.packet.ErrPacket;
import org.jspecify.annotations.Nullable;

/** An answer that is due on a connection of ours, and who is told. Reused by its connection. */
public final class PendingAnswer extends AnswerProgress implements ResponseView {
    private @Nullable WireResponse response;
    private @Nullable WireStream stream;
    private long firstByteNanos;
    private long lastByteNanos;
    private boolean inTransactionBefore;

    PendingAnswer() {}

    void begin(Answer grammar, long capabilities, @Nullable WireResponse toTell, @Nullable WireStream toFeed) {
        expect(grammar, capabilities, null);
        response = toTell;
        stream = toFeed;
        firstByteNanos = 0;
        lastByteNanos = 0;
    }

    /** Drops references while it waits to be used again. */
    void clear() {
        response = null;
        stream = null;
    }

    @Nullable
    WireStream stream() {
        return stream;
    }

    void read(long nanos, boolean inTransaction) {
        if (firstByteNanos == 0) {
            firstByteNanos = nanos;
            inTransactionBefore = inTransaction;
        }
        lastByteNanos = nanos;
    }

    /** Tells whoever waits that the answer is over. */
    void deliver() {
        WireResponse waiting = response;
        if (waiting != null) {
            waiting.onResponse(this, ok() ? preparedId() : -1);
        }
        WireStream fed = stream;
        if (fed != null) {
            var err = error();
            fed.onEnd(
                    err == null
                            ? "the server ended the stream"
                            : "error " + err.code() + " (" + err.sqlState() + ") " + err.message());
        }
    }

    void fail(String reason) {
        WireResponse waiting = response;
        if (waiting != null) {
            waiting.onFailure(reason);
        }
        WireStream fed = stream;
        if (fed != null) {
            fed.onEnd(reason);
        }
    }

    @Override
    public boolean ok() {
        return errorCode() == 0;
    }

    @Override
    public @Nullable String errorMessage() {
        ErrPacket err = error();
        return err == null ? null : err.message();
    }

    @Override
    public boolean inTransaction() {
        return statusSeen() ? (status() & ServerStatus.IN_TRANS) != 0 : inTransactionBefore;
    }

    @Override
    public long firstByteNanos() {
        return firstByteNanos;
    }

    @Override
    public long lastByteNanos() {
        return lastByteNanos;
    }

    /** Always null: connections of our own do not ask for session tracking. */
    @Override
    public @Nullable String gtid() {
        return null;
    }
}
