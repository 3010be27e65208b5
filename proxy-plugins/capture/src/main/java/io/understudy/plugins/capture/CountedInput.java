package io.understudy.plugins.capture;

import java.io.IOException;
import java.io.InputStream;

/** Counts the bytes of a file that is not encrypted. */
final class CountedInput extends PlacedInput {
    private final InputStream in;
    private long position;

    CountedInput(InputStream in) {
        this.in = in;
    }

    @Override
    long position() {
        return position;
    }

    @Override
    long cut() {
        return 0;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int n = in.read(bytes, offset, length);
        position += Math.max(n, 0);
        return n;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
