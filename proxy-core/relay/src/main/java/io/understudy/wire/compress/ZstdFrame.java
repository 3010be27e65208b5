package io.understudy.wire.compress;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.MalformedPacketException;

/** The header of a zstd frame (RFC 8878, section 3.1.1.1), as far as it tells how much memory decompressing takes. */
final class ZstdFrame {
    private static final int MAGIC = 0xFD2FB528;
    private static final int MAX_HEADER = 18;
    private static final int[] DICTIONARY_BYTES = {0, 1, 2, 4};
    /** A decompressor's own tables, and a block of input and one of output, 128 KiB each. */
    private static final long FIXED_BYTES = 448 * 1024;

    private ZstdFrame() {}

    /** See {@link Codec#inflationBytes}. */
    static long inflationBytes(ByteBuf start, boolean complete, int length) {
        if (start.readableBytes() < MAX_HEADER && !complete) {
            return -1;
        }
        int at = start.readerIndex();
        int end = start.writerIndex();
        if (end - at < 6 || start.getIntLE(at) != MAGIC) {
            // A skippable frame, or nonsense: the library says which, with its tables alone.
            return FIXED_BYTES;
        }
        int descriptor = start.getUnsignedByte(at + 4);
        at += 5;
        boolean singleSegment = (descriptor & 0x20) != 0;
        long window = 0;
        if (!singleSegment) {
            int bits = start.getUnsignedByte(at++);
            long base = 1L << (10 + (bits >> 3));
            window = base + (base >> 3) * (bits & 7);
        }
        at += DICTIONARY_BYTES[descriptor & 3];
        int sizeBytes = sizeBytes(descriptor >> 6, singleSegment);
        if (sizeBytes == 0) {
            return window + FIXED_BYTES;
        }
        if (at + sizeBytes > end) {
            return FIXED_BYTES;
        }
        long stated = contentSize(start, at, sizeBytes);
        if (stated != length) {
            throw new MalformedPacketException("a compressed frame says it holds " + length + " bytes, and its data "
                    + Long.toUnsignedString(stated));
        }
        return (singleSegment ? stated : Math.min(window, stated)) + FIXED_BYTES;
    }

    private static int sizeBytes(int flag, boolean singleSegment) {
        return flag == 0 ? (singleSegment ? 1 : 0) : 1 << flag;
    }

    private static long contentSize(ByteBuf header, int at, int bytes) {
        return switch (bytes) {
            case 1 -> header.getUnsignedByte(at);
            case 2 -> header.getUnsignedShortLE(at) + 256L;
            case 4 -> header.getUnsignedIntLE(at);
            default -> header.getLongLE(at);
        };
    }
}
