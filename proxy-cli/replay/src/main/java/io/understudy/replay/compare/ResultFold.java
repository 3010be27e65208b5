package io.understudy.replay.compare;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.Hash64;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ResultHash;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerResponse;
import io.understudy.wire.LengthEncoded;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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

    /**
     * Tells the FLOATs and DOUBLEs of rows, whose last digits depend on the order of an addition, from their other
     * values. Knows the rows of a text result and of an execution (MySQL's manual, "Binary Protocol Resultset Row").
     * Not thread-safe.
     */
    static final class RowRounding {
        /** In the place of a value's length in a text row. */
        private static final int NULL = 0xFB;
        /**
         * A row of an execution begins with a zero byte and a bitmap of its NULLs, whose first two bits are not used.
         */
        private static final int BITMAP_AT = 1;

        private static final int BITMAP_OFFSET = 2;

        private static final int TINY = 1;
        private static final int SHORT = 2;
        private static final int LONG = 3;
        private static final int FLOAT = 4;
        private static final int DOUBLE = 5;
        private static final int TIMESTAMP = 7;
        private static final int LONGLONG = 8;
        private static final int INT24 = 9;
        private static final int DATE = 10;
        private static final int TIME = 11;
        private static final int DATETIME = 12;
        private static final int YEAR = 13;

        private final boolean binary;
        private final List<Integer> types = new ArrayList<>();
        private int floating;
        private @Nullable FloatingRows rows;
        private double[] values = {};

        RowRounding(boolean binary) {
            this.binary = binary;
        }

        /** Adds a column by its type's number. */
        void column(int type) {
            types.add(type);
            floating += isFloating(type) ? 1 : 0;
        }

        private static boolean isFloating(int type) {
            return type == FLOAT || type == DOUBLE;
        }

        /** Returns the rows so far, or null if no column is a FLOAT or DOUBLE. */
        @Nullable
        FloatingRows rows() {
            if (rows == null && floating > 0) {
                boolean[] singles = new boolean[floating];
                int at = 0;
                for (int type : types) {
                    if (isFloating(type)) {
                        singles[at++] = type == FLOAT;
                    }
                }
                values = new double[floating];
                rows = new FloatingRows(singles);
            }
            return rows;
        }

        /** Adds a row. {@code hash} is that of the whole row, by which a row is compared that is not shown whole. */
        void row(ByteBuf buf, int index, int shown, int length, long hash) {
            FloatingRows rows = rows();
            if (rows == null) {
                return;
            }
            if (shown < length) {
                rows.addWhole(hash);
            } else {
                rows.add(split(buf, index, index + shown), values);
            }
        }

        /** Sets the values of a whole row, and returns the hash of the others. */
        private long split(ByteBuf buf, int index, int end) {
            Hash64 hash = new Hash64();
            Arrays.fill(values, 0);
            int next = 0;
            int at = binary ? index + BITMAP_AT + (types.size() + BITMAP_OFFSET + 7) / 8 : index;
            for (int column = 0; column < types.size(); column++) {
                int type = types.get(column);
                int value = isFloating(type) ? next++ : -1;
                if (isNull(buf, index, at, end, column)) {
                    hash.add(NULL);
                    at += binary ? 0 : 1;
                    continue;
                }
                if (at >= end) {
                    break;
                }
                int to = binary ? behind(buf, at, end, type) : LengthEncoded.behind(buf, at, end);
                if (value < 0) {
                    hash.add(buf, at, Math.min(to, end));
                } else {
                    double number = number(buf, at, to, type);
                    if (Double.isFinite(number)) {
                        hash.add(type);
                        values[value] = number;
                    } else {
                        hash.add(buf, at, Math.min(to, end));
                    }
                }
                at = to;
            }
            return hash.value();
        }

        private boolean isNull(ByteBuf buf, int index, int at, int end, int column) {
            if (!binary) {
                return at < end && buf.getUnsignedByte(at) == NULL;
            }
            int bit = column + BITMAP_OFFSET;
            int octet = index + BITMAP_AT + bit / 8;
            return octet < end && (buf.getUnsignedByte(octet) >> bit % 8 & 1) != 0;
        }

        private static int behind(ByteBuf buf, int at, int end, int type) {
            return switch (type) {
                case TINY -> at + 1;
                case SHORT, YEAR -> at + 2;
                case LONG, INT24, FLOAT -> at + 4;
                case LONGLONG, DOUBLE -> at + 8;
                case TIMESTAMP, DATE, TIME, DATETIME -> at + 1 + buf.getUnsignedByte(at);
                default -> LengthEncoded.behind(buf, at, end);
            };
        }

        private double number(ByteBuf buf, int at, int to, int type) {
            if (binary) {
                return type == FLOAT ? buf.getFloatLE(at) : buf.getDoubleLE(at);
            }
            int from = LengthEncoded.content(buf, at);
            try {
                return Double.parseDouble(buf.toString(from, to - from, StandardCharsets.ISO_8859_1));
            } catch (NumberFormatException e) {
                return Double.NaN;
            }
        }
    }
}
