package io.understudy.command.prepared;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.understudy.sql.InsertedValues;
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

    /**
     * Adds what a server takes the value from {@code at} to {@code end} for where a number is due. Returns false if
     * that is not certain.
     */
    static boolean addNumber(InsertedValues to, ByteBuf buf, int at, int end, int type, boolean unsigned) {
        switch (type) {
            case 0x01 -> to.add(unsigned ? buf.getUnsignedByte(at) : buf.getByte(at));
            case 0x02, 0x0D -> to.add(unsigned ? buf.getUnsignedShortLE(at) : buf.getShortLE(at));
            case 0x03, 0x09 -> to.add(unsigned ? buf.getUnsignedIntLE(at) : buf.getIntLE(at));
            case 0x08 -> to.add(buf.getLongLE(at));
            case 0x04, 0x05 -> {
                double value = type == 0x04 ? buf.getFloatLE(at) : buf.getDoubleLE(at);
                to.add((long) Math.floor(value));
                to.add((long) Math.ceil(value));
            }
            case 0x06 -> {
                // NULL
            }
            case 0x07, 0x0A, 0x0C -> addDate(to, buf, at + 1, end);
            case 0x0B, 0x10 -> {
                return false; // TIME, BIT
            }
            default -> {
                byte[] text =
                        ByteBufUtil.getBytes(buf, LengthEncoded.content(buf, at), end - LengthEncoded.content(buf, at));
                return to.addText(text, 0, text.length);
            }
        }
        return true;
    }

    /** A date is a number of eight digits, with a time of fourteen. */
    private static void addDate(InsertedValues to, ByteBuf buf, int at, int end) {
        if (end - at < DATE) {
            return; // zero
        }
        long date = buf.getUnsignedShortLE(at) * 10_000L + buf.getByte(at + 2) * 100L + buf.getByte(at + 3);
        boolean timed = end - at >= DATE_AND_TIME;
        long time = timed ? buf.getByte(at + 4) * 10_000L + buf.getByte(at + 5) * 100L + buf.getByte(at + 6) : 0;
        to.add(date);
        to.add(date * 1_000_000 + time);
        to.add(date * 1_000_000 + time + 1); // is rounded
    }

    private static final int DATE = 4;
    private static final int DATE_AND_TIME = 7;
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
