package io.understudy.plugins.capture;

import java.io.IOException;
import java.io.InputStream;

/** A stream that is read by blocks; a byte is a block of one. */
abstract class BlockStream extends InputStream {
    private static final int BYTE = 0xFF;

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & BYTE;
    }

    @Override
    public abstract int read(byte[] bytes, int offset, int length) throws IOException;
}
