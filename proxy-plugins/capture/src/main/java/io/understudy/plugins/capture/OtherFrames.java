package io.understudy.plugins.capture;

import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Frames of zstd that are no capture of the proxy, such as a compressed log; handed out while they are read. */
final class OtherFrames extends BlockStream {

    private final String name;
    private final Counted counted;
    private final ZstdInputStreamNoFinalizer zstd;
    private boolean cut;

    OtherFrames(InputStream in, String name) throws IOException {
        this.name = name;
        counted = new Counted(in);
        zstd = new ZstdInputStreamNoFinalizer(counted);
    }

    /** Returns whether the last frame is not whole; known at the end. */
    boolean isCut() {
        return cut;
    }

    /** Returns the number of bytes read so far. */
    long position() {
        return counted.position;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        try {
            return zstd.read(bytes, offset, length);
        } catch (ZstdIOException e) {
            if (!counted.ended) {
                throw new IOException(
                        name + " is damaged before byte " + counted.position + ": " + e.getMessage()
                                + ". Take the file from another copy, or leave it out",
                        e);
            }
            cut = true;
            return -1;
        }
    }

    @Override
    public void close() throws IOException {
        zstd.close();
    }

    private static final class Counted extends FilterInputStream {
        private long position;
        private boolean ended;

        Counted(InputStream in) {
            super(in);
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int n = super.read(bytes, offset, length);
            position += Math.max(n, 0);
            ended |= n < 0;
            return n;
        }
    }
}
