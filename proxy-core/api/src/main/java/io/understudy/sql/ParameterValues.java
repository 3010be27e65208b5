package io.understudy.sql;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a COM_STMT_EXECUTE as SQL literals, in the text's character set.
 *
 * <p>Source: MySQL source documentation, "COM_STMT_EXECUTE" and "Binary Protocol Value".
 */
public final class ParameterValues {
    private static final int COUNT_AT = 14; // header, code, statement id, flags, iteration count
    private static final int UNSIGNED = 0x80;
    private static final int MICROS_LENGTH = 11;

    private final byte[] packet;
    private final int count;
    private final byte @Nullable [] types;

    /**
     * @param packet the command without query attributes, with its header
     * @param types of the parameters, two bytes each, for a packet without; null when they are not known
     */
    public ParameterValues(byte[] packet, int count, byte @Nullable [] types) {
        this.packet = packet;
        this.count = count;
        this.types = types;
    }

    /** Returns the length of the packet in bytes. */
    public int size() {
        return packet.length;
    }

    /** Returns a reader of the values, from the first. */
    public SingleLine.Parameters literals() {
        int nulls = (count + 7) / 8;
        int bound = COUNT_AT + nulls;
        if (count == 0 || bound >= packet.length) {
            return index -> null;
        }
        // A packet has the types when they differ from those before.
        boolean given = packet[bound] == 1;
        int start = bound + 1 + (given ? count * 2 : 0);
        if (start > packet.length) {
            return index -> null;
        }
        byte[] known = given ? Arrays.copyOfRange(packet, bound + 1, start) : types;
        if (known == null || known.length < count * 2) {
            return index -> null;
        }
        ByteBuffer values = ByteBuffer.wrap(packet).order(ByteOrder.LITTLE_ENDIAN);
        values.position(start);
        return index -> {
            if (index >= count) {
                return null;
            }
            if ((packet[COUNT_AT + index / 8] & 1 << index % 8) != 0) {
                return ascii("NULL");
            }
            try {
                return literal(values, known[index * 2] & 0xFF, (known[index * 2 + 1] & UNSIGNED) != 0);
            } catch (RuntimeException cutOff) {
                return null;
            }
        };
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte @Nullable [] literal(ByteBuffer in, int type, boolean unsigned) {
        return switch (type) {
            case 6 -> ascii("NULL");
            case 1 -> ascii(String.valueOf(unsigned ? in.get() & 0xFF : in.get()));
            case 2, 13 -> ascii(String.valueOf(unsigned ? in.getShort() & 0xFFFF : in.getShort()));
            case 3, 9 -> ascii(unsigned ? Integer.toUnsignedString(in.getInt()) : String.valueOf(in.getInt()));
            case 8 -> ascii(unsigned ? Long.toUnsignedString(in.getLong()) : String.valueOf(in.getLong()));
            case 4 -> number(in.getFloat());
            case 5 -> number(in.getDouble());
            case 7, 10, 12 -> date(in);
            case 11 -> time(in);
            case 0, 246 -> decimal(bytes(in));
            case 249, 250, 251, 252, 255, 16 -> binary(bytes(in));
            case 15, 245, 247, 248, 253, 254 -> string(bytes(in));
            default -> null;
        };
    }

    private static byte @Nullable [] number(double value) {
        return Double.isFinite(value) ? ascii(String.valueOf(value)) : null;
    }

    private static byte @Nullable [] number(float value) {
        return Float.isFinite(value) ? ascii(String.valueOf(value)) : null;
    }

    private static byte[] bytes(ByteBuffer in) {
        int lead = in.get() & 0xFF;
        long length = switch (lead) {
            case 0xFC -> in.getShort() & 0xFFFF;
            case 0xFD -> in.getShort() & 0xFFFF | (in.get() & 0xFF) << 16;
            case 0xFE -> in.getLong();
            default -> lead;
        };
        if (length < 0 || length > in.remaining()) {
            throw new IllegalArgumentException("cut off");
        }
        byte[] bytes = new byte[(int) length];
        in.get(bytes);
        return bytes;
    }

    private static byte[] decimal(byte[] digits) {
        for (byte c : digits) {
            if (!(c >= '0' && c <= '9' || c == '.' || c == '-' || c == '+')) {
                return string(digits);
            }
        }
        return digits.length == 0 ? string(digits) : digits;
    }

    private static byte[] binary(byte[] value) {
        for (byte c : value) {
            if (c >= 0 && c < ' ' && c != '\n' && c != '\r' && c != '\t') {
                return ascii("x'" + HexFormat.of().formatHex(value) + "'");
            }
        }
        return string(value);
    }

    private static byte[] string(byte[] value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(value.length + 8);
        out.write('\'');
        for (byte c : value) {
            int letter = switch (c) {
                case '\n' -> 'n';
                case '\r' -> 'r';
                case 0 -> '0';
                case '\'', '\\' -> c;
                case 26 -> 'Z';
                default -> 0;
            };
            if (letter != 0) {
                out.write('\\');
                out.write(letter);
            } else {
                out.write(c);
            }
        }
        out.write('\'');
        return out.toByteArray();
    }

    private static byte[] date(ByteBuffer in) {
        int length = in.get();
        int year = length > 0 ? in.getShort() : 0;
        int month = length > 0 ? in.get() : 0;
        int day = length > 0 ? in.get() : 0;
        String text = String.format(Locale.ROOT, "'%04d-%02d-%02d", year, month, day);
        if (length > 4) {
            text += String.format(Locale.ROOT, " %02d:%02d:%02d", in.get(), in.get(), in.get());
        }
        if (length >= MICROS_LENGTH) {
            text += String.format(Locale.ROOT, ".%06d", in.getInt());
        }
        return ascii(text + "'");
    }

    private static byte[] time(ByteBuffer in) {
        int length = in.get();
        if (length == 0) {
            return ascii("'00:00:00'");
        }
        boolean negative = in.get() == 1;
        int days = in.getInt();
        int hours = in.get() + days * 24;
        String text = String.format(Locale.ROOT, "'%s%02d:%02d:%02d", negative ? "-" : "", hours, in.get(), in.get());
        if (length > 8) {
            text += String.format(Locale.ROOT, ".%06d", in.getInt());
        }
        return ascii(text + "'");
    }
}
