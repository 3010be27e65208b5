package io.understudy.otlp;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** One message in protobuf's wire format, see protobuf.dev/programming-guides/encoding. */
final class Protobuf {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int LENGTH = 2;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream(64);

    Protobuf uint(int field, long value) {
        tag(field, VARINT);
        varint(value);
        return this;
    }

    Protobuf fixed64(int field, long value) {
        tag(field, FIXED64);
        raw(value);
        return this;
    }

    Protobuf number(int field, double value) {
        return fixed64(field, Double.doubleToLongBits(value));
    }

    Protobuf text(int field, String value) {
        return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    Protobuf message(int field, Protobuf value) {
        return bytes(field, value.toBytes());
    }

    /** Adds a repeated field of fixed64 or double, packed. */
    Protobuf packed(int field, long[] values) {
        tag(field, LENGTH);
        varint((long) values.length * Long.BYTES);
        for (long value : values) {
            raw(value);
        }
        return this;
    }

    byte[] toBytes() {
        return out.toByteArray();
    }

    private Protobuf bytes(int field, byte[] value) {
        tag(field, LENGTH);
        varint(value.length);
        out.writeBytes(value);
        return this;
    }

    private void tag(int field, int type) {
        varint((long) field << 3 | type);
    }

    private void varint(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            out.write((int) rest & 0x7F | 0x80);
            rest >>>= 7;
        }
        out.write((int) rest);
    }

    private void raw(long value) {
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            out.write((int) (value >>> shift));
        }
    }
}
