package io.understudy.command.prepared;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.LengthEncoded;

/**
 * Sizes of values in the binary protocol, needed to skip them.
 *
 * <p>Source: MySQL source documentation, "Binary Protocol Value".
 */
public final class BinaryValues {
    /** A type whose values are length-encoded strings. */
    public static final int ANY_STRING = 0xFD;

    private BinaryValues() {}

    /**
     * Returns the index after the value of {@code type} at {@code at}, or -1 when the value is cut off or the type is
     * not known.
     */
    public static int skip(ByteBuf buf, int at, int end, int type) {
        int size = fixedSize(type);
        if (size >= 0) {
            return at + size <= end ? at + size : -1;
        }
        if (at >= end) {
            return -1;
        }
        if (size == TEMPORAL) {
            int length = buf.getUnsignedByte(at);
            return at + 1 + length <= end ? at + 1 + length : -1;
        }
        int lead = LengthEncoded.size(buf.getUnsignedByte(at));
        if (at + lead > end) {
            return -1;
        }
        long length = LengthEncoded.get(buf, at);
        return length < 0 || length > end - at - lead ? -1 : at + lead + (int) length;
    }

    /** Returns whether the name at {@code at}, which is whole, is {@code wanted}, of a text. */
    public static boolean isNamed(ByteBuf buf, int at, int type, byte[] wanted) {
        if (fixedSize(type) != STRING || buf.getUnsignedByte(at) != wanted.length) {
            return false;
        }
        for (int i = 0; i < wanted.length; i++) {
            if (buf.getByte(at + 1 + i) != wanted[i]) {
                return false;
            }
        }
        return true;
    }

    private static final int TEMPORAL = -1;
    private static final int STRING = -2;

    private static int fixedSize(int type) {
        return switch (type) {
            case 0x01 -> 1; // TINY
            case 0x02, 0x0D -> 2; // SHORT, YEAR
            case 0x03, 0x09, 0x04 -> 4; // LONG, INT24, FLOAT
            case 0x08, 0x05 -> 8; // LONGLONG, DOUBLE
            case 0x06 -> 0; // NULL
            case 0x07, 0x0A, 0x0B, 0x0C -> TEMPORAL; // TIMESTAMP, DATE, TIME, DATETIME
            default -> STRING;
        };
    }
}
