package io.understudy.plugins.capture;

import java.io.IOException;
import java.io.InputStream;

/** A file's bytes, possibly decrypted, with their place in the file. */
abstract class PlacedInput extends InputStream {
    private static final int BYTE = 0xFF;

    /** Returns the place in the file of the next byte, or of the encrypted frame that has it. */
    abstract long position();

    /** Returns how many bytes at the file's end are a frame that is cut off; known at the end. */
    abstract long cut();

    @Override
    public final int read() throws IOException {
        byte[] one = new byte[1];
        int n = readNBytes(one, 0, 1);
        return n == 0 ? -1 : one[0] & BYTE;
    }
}
