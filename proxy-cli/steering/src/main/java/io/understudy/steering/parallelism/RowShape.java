package io.understudy.steering.parallelism;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a table as a table map event describes them, as far as needed to find the end of a row image.
 * Immutable.
 *
 * @see <a href="https://mariadb.com/kb/en/table_map_event/">MariaDB: TABLE_MAP_EVENT</a>
 */
final class RowShape {
    private static final int BAD = -1;
    private static final int DECIMAL_DIGITS = 9;
    private static final int[] DECIMAL_BYTES = {0, 1, 1, 2, 2, 3, 3, 4, 4, 4};

    final long name;
    private final int[] types;
    private final int[] meta;

    private RowShape(long name, int[] types, int[] meta) {
        this.name = name;
        this.types = types;
        this.meta = meta;
    }

    int columns() {
        return types.length;
    }

    /**
     * Reads the part behind the names: column count, types, metadata.
     *
     * @return null if a type is unknown or the event is cut off
     */
    static @Nullable RowShape read(long name, ByteBuf buf, int from, int end) {
        if (from >= end || buf.getUnsignedByte(from) >= 0xFB) {
            return null;
        }
        int count = buf.getUnsignedByte(from);
        int at = from + 1;
        if (at + count + 1 > end || buf.getUnsignedByte(at + count) >= 0xFB) {
            return null;
        }
        int[] types = new int[count];
        int[] meta = new int[count];
        int metaAt = at + count + 1;
        for (int i = 0; i < count; i++) {
            types[i] = buf.getUnsignedByte(at + i);
            int bytes = metaBytes(types[i]);
            if (bytes < 0 || metaAt + bytes > end) {
                return null;
            }
            meta[i] = bytes == 0 ? 0 : bytes == 1 ? buf.getUnsignedByte(metaAt) : buf.getUnsignedShortLE(metaAt);
            metaAt += bytes;
        }
        return new RowShape(name, types, meta);
    }

    private static int metaBytes(int type) {
        return switch (type) {
            case 1, 2, 3, 6, 7, 8, 9, 10, 11, 12, 13, 14 -> 0;
            case 4, 5, 17, 18, 19, 140, 249, 250, 251, 252, 255 -> 1;
            case 15, 16, 141, 246, 247, 248, 253, 254 -> 2;
            default -> BAD;
        };
    }

    /**
     * Returns the index past a row image, or -1 if it is cut off.
     *
     * @param at of the image: its null bits, then the values of the logged columns
     * @param present index of the bits that say which columns are logged
     */
    int imageEnd(ByteBuf buf, int at, int end, int present) {
        int logged = 0;
        for (int i = 0; i < types.length; i++) {
            logged += bit(buf, present, i) ? 1 : 0;
        }
        int value = at + (logged + 7) / 8;
        if (value > end) {
            return BAD;
        }
        int number = 0;
        for (int i = 0; i < types.length; i++) {
            if (!bit(buf, present, i)) {
                continue;
            }
            if (!bit(buf, at, number++)) {
                value = valueEnd(buf, value, end, types[i], meta[i]);
                if (value < 0) {
                    return BAD;
                }
            }
        }
        return value;
    }

    private static boolean bit(ByteBuf buf, int bits, int index) {
        return (buf.getByte(bits + (index >> 3)) >> (index & 7) & 1) != 0;
    }

    private static int valueEnd(ByteBuf buf, int at, int end, int type, int meta) {
        long next = switch (type) {
            case 6 -> at;
            case 1, 13 -> at + 1;
            case 2 -> at + 2;
            case 9, 10, 11, 14 -> at + 3;
            case 3, 7 -> at + 4;
            case 4, 5 -> at + meta;
            case 8, 12 -> at + 8;
            case 17 -> at + 4 + (meta + 1) / 2;
            case 18 -> at + 5 + (meta + 1) / 2;
            case 19 -> at + 3 + (meta + 1) / 2;
            case 15, 141, 253 -> prefixed(buf, at, end, meta > 255 ? 2 : 1);
            case 140, 249, 250, 251, 252, 255 -> prefixed(buf, at, end, meta);
            case 16 -> at + (meta >> 8) + ((meta & 0xFF) > 0 ? 1 : 0);
            case 246 -> at + decimal(meta & 0xFF, meta >> 8);
            case 247, 248 -> at + (meta >> 8);
            case 254 -> fixedString(buf, at, end, meta);
            default -> BAD;
        };
        return next < 0 || next > end ? BAD : (int) next;
    }

    /**
     * CHAR, or ENUM and SET under its type: the first byte of the metadata is the real type, with bits of the length.
     */
    private static long fixedString(ByteBuf buf, int at, int end, int meta) {
        int first = meta & 0xFF;
        int second = meta >> 8;
        if (first == 247 || first == 248) {
            return (long) at + second;
        }
        int length = (first & 0x30) == 0x30 ? second : second | ((first & 0x30) ^ 0x30) << 4;
        return prefixed(buf, at, end, length > 255 ? 2 : 1);
    }

    private static long prefixed(ByteBuf buf, int at, int end, int bytes) {
        if (bytes < 1 || bytes > 4 || at + bytes > end) {
            return BAD;
        }
        long length = 0;
        for (int i = 0; i < bytes; i++) {
            length |= (long) buf.getUnsignedByte(at + i) << 8 * i;
        }
        return (long) at + bytes + length;
    }

    private static int decimal(int precision, int scale) {
        int whole = Math.max(0, precision - scale);
        return whole / DECIMAL_DIGITS * 4
                + DECIMAL_BYTES[whole % DECIMAL_DIGITS]
                + scale / DECIMAL_DIGITS * 4
                + DECIMAL_BYTES[scale % DECIMAL_DIGITS];
    }
}
