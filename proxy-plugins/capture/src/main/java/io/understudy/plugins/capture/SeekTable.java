package io.understudy.plugins.capture;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;

/**
 * The table of a file's frames, in zstd's seekable format, against the frames that were read: what is missing shows.
 *
 * <p>Source: zstd, contrib/seekable_format/zstd_seekable_compression_format.md.
 */
final class SeekTable {
    static final int MAGIC = 0x184D2A5E;
    /** At the end of the table. */
    static final int FOOTER_MAGIC = 0x8F92EAB1;

    static final int ENTRY = 8;
    static final int FOOTER = 9;

    private final CRC32 sizes = new CRC32();
    private long frames;

    void add(int compressed, int plain) {
        sizes.update(ByteBuffer.allocate(ENTRY)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(compressed)
                .putInt(plain)
                .array());
        frames++;
    }

    void clear() {
        sizes.reset();
        frames = 0;
    }

    /** Returns whether a table is the one of the frames. */
    boolean isOf(byte[] bytes) {
        int length = bytes.length - FOOTER;
        if (length < 0 || length / ENTRY != frames || length % ENTRY != 0) {
            return false;
        }
        ByteBuffer footer = ByteBuffer.wrap(bytes, length, FOOTER).slice().order(ByteOrder.LITTLE_ENDIAN);
        CRC32 listed = new CRC32();
        listed.update(bytes, 0, length);
        return Integer.toUnsignedLong(footer.getInt()) == frames
                && footer.get() == 0
                && footer.getInt() == FOOTER_MAGIC
                && listed.getValue() == sizes.getValue();
    }
}
