package io.understudy.replay.compare;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.Hash64;
import io.understudy.wire.LengthEncoded;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Hashes rows with the last digits of FLOAT and DOUBLE left out, which depend on the order of an addition. Knows the
 * rows of a text result and of an execution (MySQL's manual, "Binary Protocol Resultset Row"). Not thread-safe.
 */
final class RowRounding {
    private static final MathContext DOUBLE_DIGITS = new MathContext(10);
    private static final MathContext FLOAT_DIGITS = new MathContext(5);
    /** In the place of a value's length in a text row. */
    private static final int NULL = 0xFB;
    /** A row of an execution begins with a zero byte and a bitmap of its NULLs, whose first two bits are not used. */
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
    private boolean applies;

    RowRounding(boolean binary) {
        this.binary = binary;
    }

    /** Adds a column by its type's number. */
    void column(int type) {
        types.add(type);
        applies |= type == FLOAT || type == DOUBLE;
    }

    /** Returns whether a column has values to round. */
    boolean applies() {
        return applies;
    }

    /** Returns the hash of a whole row. */
    long row(ByteBuf buf, int index, int end) {
        Hash64 hash = new Hash64();
        int at = binary ? index + BITMAP_AT + (types.size() + BITMAP_OFFSET + 7) / 8 : index;
        for (int column = 0; column < types.size(); column++) {
            int type = types.get(column);
            if (isNull(buf, index, at, end, column)) {
                hash.add(NULL);
                at += binary ? 0 : 1;
                continue;
            }
            if (at >= end) {
                break;
            }
            int to = binary ? behind(buf, at, end, type) : LengthEncoded.behind(buf, at, end);
            if (type == FLOAT || type == DOUBLE) {
                hash.add(rounded(buf, at, to, type));
            } else {
                hash.add(buf, at, Math.min(to, end));
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

    private long rounded(ByteBuf buf, int at, int to, int type) {
        if (!binary) {
            int from = LengthEncoded.content(buf, at);
            String text = buf.toString(from, to - from, StandardCharsets.ISO_8859_1);
            try {
                return round(new BigDecimal(text), type);
            } catch (NumberFormatException e) {
                return text.hashCode();
            }
        }
        double value = type == FLOAT ? buf.getFloatLE(at) : buf.getDoubleLE(at);
        return Double.isFinite(value) ? round(new BigDecimal(value), type) : Double.doubleToLongBits(value);
    }

    private static long round(BigDecimal value, int type) {
        return Double.doubleToLongBits(
                value.round(type == FLOAT ? FLOAT_DIGITS : DOUBLE_DIGITS).doubleValue());
    }
}
