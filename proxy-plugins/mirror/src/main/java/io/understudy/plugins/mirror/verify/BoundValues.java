package io.understudy.plugins.mirror.verify;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The values of an execution, for a driver to bind. Only types that every server and driver writes in one way: whole
 * numbers, texts and bytes, NULL. Others make a check inconclusive.
 *
 * <p>Source: MySQL source documentation, "COM_STMT_EXECUTE" and "Binary Protocol Value".
 */
public final class BoundValues {
    private static final int COUNT_AT = 14; // header, code, statement id, flags, iteration count
    private static final int UNSIGNED = 0x80;
    private static final int MOST_BYTES = 64 * 1024;

    private final List<@Nullable Object> values;

    private BoundValues(List<@Nullable Object> values) {
        this.values = values;
    }

    /**
     * Reads the values of a COM_STMT_EXECUTE without query attributes, header included.
     *
     * @param types of the parameters, two bytes each, for a packet without; null when they are not known
     * @return null when a value is of another type, too long or not there
     */
    public static @Nullable BoundValues of(byte[] packet, int count, byte @Nullable [] types) {
        List<@Nullable Object> values = new ArrayList<>();
        if (count <= 0) {
            return count == 0 ? new BoundValues(values) : null;
        }
        int bound = COUNT_AT + (count + 7) / 8;
        if (bound >= packet.length || packet.length > MOST_BYTES) {
            return null;
        }
        boolean given = packet[bound] == 1;
        int start = bound + 1 + (given ? count * 2 : 0);
        byte[] known = given && start <= packet.length ? Arrays.copyOfRange(packet, bound + 1, start) : types;
        if (known == null || known.length < count * 2 || start > packet.length) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(packet).order(ByteOrder.LITTLE_ENDIAN).position(start);
        try {
            for (int i = 0; i < count; i++) {
                boolean isNull = (packet[COUNT_AT + i / 8] & 1 << i % 8) != 0;
                Object value = isNull ? null : value(in, known[i * 2] & 0xFF, (known[i * 2 + 1] & UNSIGNED) != 0);
                if (!isNull && value == null) {
                    return null;
                }
                values.add(value);
            }
        } catch (RuntimeException cutOff) {
            return null;
        }
        return new BoundValues(values);
    }

    private static @Nullable Object value(ByteBuffer in, int type, boolean unsigned) {
        return switch (type) {
            case 1 -> unsigned ? in.get() & 0xFFL : (long) in.get();
            case 2, 13 -> unsigned ? in.getShort() & 0xFFFFL : (long) in.getShort();
            case 3, 9 -> unsigned ? in.getInt() & 0xFFFF_FFFFL : (long) in.getInt();
            case 8 -> {
                long number = in.getLong();
                if (unsigned && number < 0) {
                    yield null;
                }
                yield number;
            }
            case 15, 253, 254 -> text(in);
            case 249, 250, 251, 252 -> bytes(in);
            default -> null;
        };
    }

    /** Returns null for what is not ASCII: its meaning depends on the client's character set. */
    private static @Nullable Object text(ByteBuffer in) {
        byte[] bytes = bytes(in);
        for (byte b : bytes) {
            if (b < 0) {
                return null;
            }
        }
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    private static byte[] bytes(ByteBuffer in) {
        int lead = in.get() & 0xFF;
        int length = switch (lead) {
            case 0xFC -> in.getShort() & 0xFFFF;
            case 0xFD -> in.getShort() & 0xFFFF | (in.get() & 0xFF) << 16;
            default -> lead;
        };
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    void bind(PreparedStatement statement) throws SQLException {
        for (int i = 0; i < values.size(); i++) {
            Object value = values.get(i);
            if (value instanceof Long number) {
                statement.setLong(i + 1, number);
            } else if (value instanceof byte[] bytes) {
                statement.setBytes(i + 1, bytes);
            } else {
                statement.setString(i + 1, (String) value);
            }
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof BoundValues bound && Arrays.deepEquals(values.toArray(), bound.values.toArray());
    }

    @Override
    public int hashCode() {
        return Arrays.deepHashCode(values.toArray());
    }
}
