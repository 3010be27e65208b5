package io.understudy.replay.compare;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerResponse;
import io.understudy.wire.LengthEncoded;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A small result as text: the columns' names, then the rows. Rows beyond a bound are dropped. */
final class TextRows implements ServerResponse {
    private static final int MAX_ROWS = 200;
    private static final int MAX_ROW = 16 * 1024;
    private static final int NULL = 0xFB;
    private static final int NAME = 4;

    final CompletableFuture<List<List<String>>> done = new CompletableFuture<>();
    private final List<String> names = new ArrayList<>();
    private final List<List<String>> rows = new ArrayList<>();

    TextRows() {
        rows.add(names);
    }

    @Override
    public int rowBytes() {
        return MAX_ROW;
    }

    @Override
    public void onColumn(ByteBuf buf, int index, int length) {
        int at = index;
        for (int field = 0; field < NAME; field++) {
            at = LengthEncoded.behind(buf, at, index + length);
        }
        int from = LengthEncoded.content(buf, at);
        names.add(buf.toString(from, LengthEncoded.behind(buf, at, index + length) - from, StandardCharsets.UTF_8));
    }

    @Override
    public void onRow(ByteBuf buf, int index, int shown, int length) {
        if (shown < length || rows.size() > MAX_ROWS) {
            return;
        }
        List<String> row = new ArrayList<>();
        for (int at = index; at < index + shown; ) {
            if (buf.getUnsignedByte(at) == NULL) {
                row.add("");
                at++;
            } else {
                int from = LengthEncoded.content(buf, at);
                int to = LengthEncoded.behind(buf, at, index + shown);
                row.add(buf.toString(from, to - from, StandardCharsets.UTF_8));
                at = to;
            }
        }
        rows.add(row);
    }

    @Override
    public void onResponse(ResponseView response, int preparedId) {
        if (response.ok()) {
            done.complete(rows);
        } else {
            done.completeExceptionally(
                    new IOException("error " + response.errorCode() + ": " + response.errorMessage()));
        }
    }

    @Override
    public void onFailure(String reason) {
        done.completeExceptionally(new IOException(reason));
    }
}
