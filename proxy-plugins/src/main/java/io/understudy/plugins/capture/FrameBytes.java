package io.understudy.plugins.capture;

import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;

/** The bytes of a frame as far as they were read. */
final class FrameBytes {
    private static final int FIRST = 1 << 16;
    private static final int BYTE = 0xFF;

    private final PlacedInput in;
    private byte[] bytes = new byte[FIRST];
    private int length;

    FrameBytes(PlacedInput in) {
        this.in = in;
    }

    byte[] array() {
        return bytes;
    }

    int length() {
        return length;
    }

    void clear() {
        length = 0;
        if (bytes.length > FIRST) {
            bytes = new byte[FIRST];
        }
    }

    /** Reads one byte, or returns -1 at the end. */
    int first() throws IOException {
        int first = in.read();
        if (first >= 0) {
            bytes[length++] = (byte) first;
        }
        return first;
    }

    /** Reads more; what there is before the end is kept. */
    void take(int count) throws IOException {
        int wanted = length + count;
        if (wanted > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(wanted, 2 * bytes.length));
        }
        int n = in.readNBytes(bytes, length, count);
        length += n;
        if (n < count) {
            throw new EOFException();
        }
    }

    /** Reads a number of up to eight bytes, the lowest first. */
    long number(int size) throws IOException {
        take(size);
        return numberAt(length - size, size);
    }

    long numberAt(int at, int size) {
        long number = 0;
        for (int i = size - 1; i >= 0; i--) {
            number = number << Byte.SIZE | bytes[at + i] & BYTE;
        }
        return number;
    }
}
