package io.understudy.plugins.mirror.verify;

import io.netty.buffer.Unpooled;
import io.understudy.plugin.Hash64;
import io.understudy.plugin.HashedResult;
import io.understudy.plugin.ResultHash;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import org.jspecify.annotations.Nullable;

/** Reads a result of JDBC into the one fold of results. */
final class ReadRows {
    private static final int MOST_ROWS = 100_000;
    private static final int NULL = -1;

    private ReadRows() {}

    /** Returns null for a result that is too large to compare. */
    static @Nullable HashedResult of(ResultSet result) throws SQLException {
        int columns = result.getMetaData().getColumnCount();
        boolean[] binary = new boolean[columns + 1];
        for (int column = 1; column <= columns; column++) {
            binary[column] = isBinary(result.getMetaData().getColumnType(column));
        }
        ResultHash rows = new ResultHash(Integer.MAX_VALUE);
        int count = 0;
        while (result.next()) {
            if (++count > MOST_ROWS) {
                return null;
            }
            Hash64 row = new Hash64();
            for (int column = 1; column <= columns; column++) {
                byte[] value = binary[column] ? result.getBytes(column) : text(result.getString(column));
                row.add(value == null ? NULL : value.length);
                if (value != null) {
                    row.add(Unpooled.wrappedBuffer(value), 0, value.length);
                }
            }
            rows.add(row.value());
        }
        return rows.result(count);
    }

    private static boolean isBinary(int type) {
        return switch (type) {
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB, Types.BIT -> true;
            default -> false;
        };
    }

    private static byte @Nullable [] text(@Nullable String value) {
        return value == null ? null : value.getBytes(StandardCharsets.UTF_8);
    }
}
