package io.understudy.move;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerResponse;
import io.understudy.wire.LengthEncoded;
import io.understudy.wire.Packets;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The rows of a text result, as bytes, with the types of its columns. Used on the connection's event loop. */
final class StateRows implements ServerResponse {
    /** Bytes of a row; a longer one is an error. */
    static final int LARGEST = 256 * 1024;

    private static final int NULL = 0xFB;
    private static final int STRINGS_OF_COLUMN = 6;
    private static final int TYPE_OFFSET = 7;
    private static final int FLAGS_OFFSET = 8;

    private final List<byte @Nullable [][]> rows = new ArrayList<>();
    private final List<Column> columns = new ArrayList<>();
    private final CompletableFuture<StateRows> whole = new CompletableFuture<>();
    private @Nullable String error;
    private int errorCode;
    private boolean inTransaction;

    /**
     * A column's type.
     *
     * @param type code of the protocol
     * @param flags of the column definition
     */
    record Column(int type, int flags) {}

    private StateRows() {}

    /**
     * Sends a statement, which may be one of several under way, and collects its rows.
     *
     * @param attributes whether query attributes, of which there are none, precede the text
     * @return never fails: see {@link #error}
     */
    static CompletableFuture<StateRows> query(ServerConnection connection, String sql, boolean attributes) {
        ByteBuf query = Packets.query(connection.alloc(), sql.getBytes(StandardCharsets.UTF_8), attributes);
        StateRows rows = new StateRows();
        connection.execute(query, rows);
        return rows.whole;
    }

    List<byte @Nullable [][]> rows() {
        return rows;
    }

    List<Column> columns() {
        return columns;
    }

    /** Returns why there are no rows or not all of them, or null. */
    @Nullable
    String error() {
        return error;
    }

    /** Returns the server's error number; 0 for others. */
    int errorCode() {
        return errorCode;
    }

    /** Returns whether the session was in a transaction after the statement. */
    boolean inTransaction() {
        return inTransaction;
    }

    /** Returns a cell as text. */
    static @Nullable String text(byte @Nullable [] cell) {
        return cell == null ? null : new String(cell, StandardCharsets.UTF_8);
    }

    @Override
    public int rowBytes() {
        return LARGEST;
    }

    @Override
    public void onColumn(ByteBuf buf, int index, int length) {
        int at = index;
        for (int i = 0; i < STRINGS_OF_COLUMN; i++) {
            at = LengthEncoded.behind(buf, at, index + length);
        }
        // MariaDB's extended metadata, if any, are in front of the fixed part, which is last: 12 bytes and their
        // length.
        int fixed = index + length - 13;
        if (fixed >= at) {
            columns.add(
                    new Column(buf.getUnsignedByte(fixed + TYPE_OFFSET), buf.getUnsignedShortLE(fixed + FLAGS_OFFSET)));
        }
    }

    @Override
    public void onRow(ByteBuf buf, int index, int shown, int length) {
        if (shown < length) {
            error = "a value of more than " + LARGEST + " bytes";
            return;
        }
        List<byte @Nullable []> cells = new ArrayList<>();
        int at = index;
        while (at < index + length) {
            if (buf.getUnsignedByte(at) == NULL) {
                cells.add(null);
                at++;
            } else {
                int content = LengthEncoded.content(buf, at);
                int end = LengthEncoded.behind(buf, at, index + length);
                byte[] cell = new byte[end - content];
                buf.getBytes(content, cell);
                cells.add(cell);
                at = end;
            }
        }
        rows.add(cells.toArray(new byte[0][]));
    }

    @Override
    public void onResponse(ResponseView response, int preparedId) {
        inTransaction = response.inTransaction();
        if (!response.ok() && error == null) {
            errorCode = response.errorCode();
            error = "error " + errorCode + ": " + response.errorMessage();
        }
        whole.complete(this);
    }

    @Override
    public void onFailure(String reason) {
        error = reason;
        whole.complete(this);
    }
}
