package io.understudy.replay.compare;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.Hash64;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ResultHash;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerResponse;
import io.understudy.wire.LengthEncoded;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Reduces a result to its {@link ResultPrint} while it arrives; memory is bounded. */
final class ResultFold implements ServerResponse {
    /** Bytes of a row that are hashed; of a longer one also the length. */
    private static final int ROW_BYTES = 1 << 20;

    private static final int UNSIGNED = 1 << 5;
    /** The fixed fields at a definition's end: charset, length, type, flags, decimals, filler. */
    private static final int FIXED = 12;

    private static final int NAME = 4;
    private static final int MARIADB_TIMEOUT = 1969;
    private static final int MYSQL_TIMEOUT = 3024;

    private final CompletableFuture<ResultPrint> done = new CompletableFuture<>();
    private final ResultHash whole = new ResultHash(ROW_BYTES);
    private final RowRounding rounding;
    /** Null unless the result is compared with a captured one. */
    private final @Nullable ResultHash likeCaptured;

    private long metadata;
    private long sentNanos;

    /**
     * @param binary whether rows come as of an execution
     * @param captured whether the result is compared with a captured one
     */
    ResultFold(boolean binary, boolean captured) {
        this.rounding = new RowRounding(binary);
        this.likeCaptured = captured ? new ResultHash(ResultHash.CAPTURED_BYTES) : null;
    }

    /** Sends the command on the connection's event loop, so that the time has no thread switch in it. */
    CompletableFuture<ResultPrint> send(ServerConnection connection, ByteBuf command) {
        connection.loop().execute(() -> {
            sentNanos = System.nanoTime();
            connection.execute(command, this);
        });
        return done;
    }

    @Override
    public int rowBytes() {
        return whole.rowBytes();
    }

    @Override
    public void onColumn(ByteBuf buf, int index, int length) {
        int at = index;
        int end = index + length;
        for (int field = 0; field < NAME; field++) {
            at = LengthEncoded.behind(buf, at, end);
        }
        Hash64 hash = new Hash64();
        int from = LengthEncoded.content(buf, at);
        hash.add(buf, from, LengthEncoded.behind(buf, at, end));
        int type = length < FIXED ? 0 : buf.getUnsignedByte(end - 6);
        hash.add(type);
        hash.add(length < FIXED ? 0 : buf.getUnsignedShortLE(end - 5) & UNSIGNED);
        metadata = Hash64.chain(metadata, hash.value());
        rounding.column(type);
    }

    @Override
    public void onRow(ByteBuf buf, int index, int shown, int length) {
        long row = whole.add(buf, index, shown, length);
        ResultHash running = likeCaptured;
        if (running != null) {
            running.onRow(buf, index, shown, length);
        }
        rounding.row(buf, index, shown, length, row);
    }

    @Override
    public void onResponse(ResponseView response, int preparedId) {
        int error = response.errorCode();
        done.complete(new ResultPrint(
                error,
                error == MARIADB_TIMEOUT || error == MYSQL_TIMEOUT,
                whole.result(response.rows()),
                rounding.rows(),
                metadata,
                response.lastByteNanos() - sentNanos,
                likeCaptured == null || error != 0 ? null : likeCaptured.result(response.rows())));
    }

    @Override
    public void onFailure(String reason) {
        done.completeExceptionally(new java.io.IOException(reason));
    }
}
