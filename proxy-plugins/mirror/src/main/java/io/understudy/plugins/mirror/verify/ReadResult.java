package io.understudy.plugins.mirror.verify;

import io.understudy.base.SplitMix64;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a result in any order, reduced to a hash.
 *
 * @param rows number of rows
 */
record ReadResult(long rows, long hash) {
    private static final int MOST_ROWS = 100_000;

    /** Returns null for a result that is too large to compare. */
    static @Nullable ReadResult of(ResultSet result) throws SQLException {
        int columns = result.getMetaData().getColumnCount();
        boolean[] binary = new boolean[columns + 1];
        for (int column = 1; column <= columns; column++) {
            binary[column] = isBinary(result.getMetaData().getColumnType(column));
        }
        long rows = 0;
        long sum = 0;
        while (result.next()) {
            if (++rows > MOST_ROWS) {
                return null;
            }
            long row = columns;
            for (int column = 1; column <= columns; column++) {
                byte[] value = binary[column] ? result.getBytes(column) : text(result.getString(column));
                CRC32C check = new CRC32C();
                if (value != null) {
                    check.update(value);
                }
                row = SplitMix64.mix(row * 31 + (value == null ? -1 : (long) value.length << 32 | check.getValue()));
            }
            sum += row;
        }
        return new ReadResult(rows, sum);
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
