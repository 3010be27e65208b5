package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;

/**
 * Reads MySQL's variable-length integers (library {@code mysql::serialization}): the number of trailing one bits of the
 * first byte is the number of bytes that follow; the remaining bits are the value, little-endian. A signed integer has
 * its sign in the lowest bit; a negative value is stored as its complement.
 */
final class Varlen {
    private final ByteBuf buf;
    private final int end;
    private int at;

    Varlen(ByteBuf buf, int from, int end) {
        this.buf = buf;
        this.at = from;
        this.end = end;
    }

    boolean more() {
        return at < end;
    }

    long unsigned() {
        if (at >= end) {
            throw new IndexOutOfBoundsException("a number is missing");
        }
        int first = buf.getUnsignedByte(at);
        int extra = Integer.numberOfTrailingZeros(~first & 0x1FF);
        if (at + 1 + extra > end) {
            throw new IndexOutOfBoundsException("a number is cut off");
        }
        long value = extra >= 8 ? 0 : first >>> (extra + 1);
        int known = extra >= 8 ? 0 : 7 - extra;
        for (int i = 1; i <= extra; i++) {
            value |= (long) buf.getUnsignedByte(at + i) << (known + 8 * (i - 1));
        }
        at += 1 + extra;
        return value;
    }

    long signed() {
        long raw = unsigned();
        long value = raw >>> 1;
        return (raw & 1) == 0 ? value : ~value;
    }

    String text() {
        int length = (int) unsigned();
        if (length < 0 || length > end - at) {
            throw new IndexOutOfBoundsException("a text is cut off");
        }
        String text = buf.toString(at, length, java.nio.charset.StandardCharsets.UTF_8);
        at += length;
        return text;
    }
}
