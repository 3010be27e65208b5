package io.understudy.wire;

import io.netty.buffer.ByteBuf;

/** Length-encoded integers, read by absolute index or from the reader index. */
public final class LengthEncoded {
    /** Marks the SQL value NULL; never a length. */
    private static final int NULL = 0xFB;

    private LengthEncoded() {}

    /**
     * Returns the size in bytes of the integer whose first byte is {@code first}; 1 for the values 0 to 250 and for
     * NULL.
     */
    public static int size(int first) {
        return switch (first) {
            case 0xFC -> 3;
            case 0xFD -> 4;
            case 0xFE -> 9;
            default -> 1;
        };
    }

    /** Returns the value at {@code index}; the caller has checked that {@link #size} bytes are available. */
    public static long get(ByteBuf buf, int index) {
        int first = buf.getUnsignedByte(index);
        return switch (first) {
            case 0xFC -> buf.getUnsignedShortLE(index + 1);
            case 0xFD -> buf.getUnsignedMediumLE(index + 1);
            case 0xFE -> buf.getLongLE(index + 1);
            default -> first;
        };
    }

    /**
     * Returns the index just past the length-encoded string at {@code index}.
     *
     * @param end index that the string must not exceed
     * @throws MalformedPacketException when the length is missing or cut off, or exceeds the bytes that follow
     */
    public static int behind(ByteBuf buf, int index, int end) {
        int first = index < end ? buf.getUnsignedByte(index) : NULL;
        int from = index + size(first);
        if (first == NULL || first == Marker.ERR || from > end) {
            throw new MalformedPacketException("no length, or one that is cut off, where one is due");
        }
        long value = get(buf, index);
        if (value < 0 || value > end - from) {
            throw new MalformedPacketException(
                    "length " + Long.toUnsignedString(value) + " where " + (end - from) + " bytes follow");
        }
        return from + (int) value;
    }

    /** Returns the index of the first byte of the content of the length-encoded string at {@code index}. */
    public static int content(ByteBuf buf, int index) {
        return index + size(buf.getUnsignedByte(index));
    }

    /**
     * Reads the length of a string, which must not exceed the readable bytes that follow it.
     *
     * @throws MalformedPacketException when the length is missing or cut off, or exceeds the bytes that follow
     */
    public static int readLength(ByteBuf buf) {
        int first = buf.isReadable() ? buf.getUnsignedByte(buf.readerIndex()) : 0;
        if (first == NULL || first == Marker.ERR) {
            throw new MalformedPacketException("byte " + first + " where a length is due");
        }
        long value = read(buf);
        if (value < 0 || value > buf.readableBytes()) {
            throw new MalformedPacketException(
                    "length " + Long.toUnsignedString(value) + " where " + buf.readableBytes() + " bytes follow");
        }
        return (int) value;
    }

    /**
     * Reads an integer and advances the reader index.
     *
     * @throws MalformedPacketException when it is cut off
     */
    public static long read(ByteBuf buf) {
        if (!buf.isReadable()) {
            throw new MalformedPacketException("a length-encoded integer is missing");
        }
        int size = size(buf.getUnsignedByte(buf.readerIndex()));
        if (buf.readableBytes() < size) {
            throw new MalformedPacketException("a length-encoded integer is cut off");
        }
        long value = get(buf, buf.readerIndex());
        buf.skipBytes(size);
        return value;
    }

    /** Appends an integer in its shortest form; a negative value counts as unsigned. */
    public static void write(ByteBuf out, long value) {
        if (value >= 0 && value < 0xFB) {
            out.writeByte((int) value);
        } else if (value >= 0 && value <= 0xFFFF) {
            out.writeByte(0xFC).writeShortLE((int) value);
        } else if (value >= 0 && value <= 0xFF_FFFF) {
            out.writeByte(0xFD).writeMediumLE((int) value);
        } else {
            out.writeByte(0xFE).writeLongLE(value);
        }
    }

    /** Appends a string with its length ahead of it. */
    public static void writeString(ByteBuf out, byte[] bytes) {
        write(out, bytes.length);
        out.writeBytes(bytes);
    }
}
