package io.understudy.connection;

import io.netty.buffer.ByteBuf;
import io.understudy.command.response.ResponseGrammar;
import io.understudy.command.response.ResponseProgress;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerResponse;
import io.understudy.plugin.ServerStream;
import io.understudy.wire.packet.ErrPacket;
import org.jspecify.annotations.Nullable;

/** A response due on a server connection, and its listener. Reused by its connection. */
public final class PendingResponse extends ResponseProgress {
    private static final ServerResponse UNWATCHED = new ServerResponse() {
        @Override
        public void onResponse(ResponseView response, int preparedId) {}

        @Override
        public void onFailure(String reason) {}
    };

    private ServerResponse response = UNWATCHED;
    private @Nullable ServerStream stream;

    PendingResponse() {}

    void begin(
            ResponseGrammar grammar,
            long capabilities,
            @Nullable ServerResponse toTell,
            @Nullable ServerStream toFeed) {
        expect(grammar, capabilities, null);
        response = toTell == null ? UNWATCHED : toTell;
        stream = toFeed;
    }

    /** Drops references before it waits for reuse. */
    void clear() {
        response = UNWATCHED;
        stream = null;
    }

    @Nullable
    ServerStream stream() {
        return stream;
    }

    /** Returns how many bytes of a row its listener reads. */
    int rowBytes() {
        return response.rowBytes();
    }

    void row(ByteBuf buf, int index, int shown, int length) {
        response.onRow(buf, index, shown, length);
    }

    void column(ByteBuf buf, int index, int definitionLength) {
        response.onColumn(buf, index, definitionLength);
    }

    void read(long nanos, boolean inTransaction) {
        if (firstByteNanos() == 0) {
            begunInTransaction(inTransaction);
        }
        firstByte(nanos);
        lastByte(nanos);
    }

    /** Reports to the listener that the response is complete. */
    void deliver() {
        response.onResponse(this, ok() ? preparedId() : -1);
        if (stream != null) {
            var err = error();
            stream.onEnd(err == null ? "the server ended the stream" : err.text());
        }
    }

    void fail(String reason) {
        response.onFailure(reason);
        if (stream != null) {
            stream.onEnd(reason);
        }
    }

    @Override
    public @Nullable String errorMessage() {
        ErrPacket err = error();
        return err == null ? null : err.message();
    }
}
