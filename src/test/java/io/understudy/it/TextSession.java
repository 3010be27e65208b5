package io.understudy.it;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerResponse;
import io.understudy.protocol.CommandCode;
import io.understudy.wire.LengthEncoded;
import io.understudy.wire.Packets;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs statements over a server connection and waits for their rows. */
final class TextSession {
    private static final int NULL = 0xFB;

    private final ServerConnection connection;
    private volatile int status;

    TextSession(ServerConnection connection) {
        this.connection = connection;
    }

    ServerConnection connection() {
        return connection;
    }

    /** Returns the status bits of the last response. */
    int status() {
        return status;
    }

    /** Returns the rows, cells separated by blanks; or one line with the error. */
    List<String> run(String sql) throws Exception {
        return command(CommandCode.QUERY, sql.getBytes(StandardCharsets.UTF_8));
    }

    List<String> command(int code, byte[] body) throws Exception {
        CompletableFuture<List<String>> rows = new CompletableFuture<>();
        connection.execute(Packets.command(connection.alloc(), code, body), new Rows(rows));
        return rows.get(20, TimeUnit.SECONDS);
    }

    /** Runs statements that must succeed. */
    void runAll(String... statements) throws Exception {
        for (String sql : statements) {
            List<String> rows = run(sql);
            if (!rows.isEmpty() && rows.get(0).startsWith("error ")) {
                throw new AssertionError(sql + ": " + rows);
            }
        }
    }

    private final class Rows implements ServerResponse {
        private final List<String> rows = new ArrayList<>();
        private final CompletableFuture<List<String>> then;

        Rows(CompletableFuture<List<String>> then) {
            this.then = then;
        }

        @Override
        public int rowBytes() {
            return 1 << 20;
        }

        @Override
        public void onRow(ByteBuf buf, int index, int shown, int length) {
            List<String> cells = new ArrayList<>();
            int at = index;
            while (at < index + length) {
                int from = LengthEncoded.content(buf, at);
                int end = buf.getUnsignedByte(at) == NULL ? at + 1 : LengthEncoded.behind(buf, at, index + length);
                cells.add(
                        end == at + 1 && from == end ? "NULL" : buf.toString(from, end - from, StandardCharsets.UTF_8));
                at = end;
            }
            rows.add(String.join(" ", cells));
        }

        @Override
        public void onResponse(ResponseView response, int preparedId) {
            status = response.status();
            then.complete(
                    response.ok() ? rows : List.of("error " + response.errorCode() + " " + response.errorMessage()));
        }

        @Override
        public void onFailure(String reason) {
            then.completeExceptionally(new IllegalStateException(reason));
        }
    }
}
