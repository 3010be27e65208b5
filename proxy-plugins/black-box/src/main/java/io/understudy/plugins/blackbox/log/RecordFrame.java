package io.understudy.plugins.blackbox.log;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What surrounds a record's body: before it its length, its number in the segment, the checksum of the body and that of
 * these three (4 bytes each); behind it a byte that is not zero, so that a record whose end was never written can be
 * told from a damaged one.
 *
 * @param length bytes of the body
 */
record RecordFrame(int length, int number, int bodySum) {
    static final int HEAD = 16;
    static final byte END = (byte) 0xA5;

    static RecordFrame of(byte[] segment, int number, List<byte[]> body) {
        CRC32C sum = new CRC32C();
        sum.update(segment);
        int length = 0;
        for (byte[] part : body) {
            sum.update(part);
            length += part.length;
        }
        return new RecordFrame(length, number, (int) sum.getValue());
    }

    /** Returns the bytes that the record takes. */
    long total() {
        return (long) HEAD + length + 1;
    }

    ByteBuffer head(byte[] segment) {
        ByteBuffer head =
                ByteBuffer.allocate(HEAD).putInt(length).putInt(number).putInt(bodySum);
        return head.putInt(sum(segment, head.array(), 0)).flip();
    }

    private static int sum(byte[] segment, byte[] bytes, int at) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, at, HEAD - Integer.BYTES);
        sum.update(segment);
        return (int) sum.getValue();
    }

    /** Returns the frame whose head is at an index, or null if there is none. */
    static @Nullable RecordFrame read(byte[] segment, byte[] bytes, int at) {
        ByteBuffer in = ByteBuffer.wrap(bytes, at, HEAD);
        RecordFrame frame = new RecordFrame(in.getInt(), in.getInt(), in.getInt());
        return frame.length > 0 && in.getInt() == sum(segment, bytes, at) ? frame : null;
    }

    boolean matches(byte[] segment, byte[] body) {
        return of(segment, number, List.of(body)).bodySum == bodySum;
    }
}
