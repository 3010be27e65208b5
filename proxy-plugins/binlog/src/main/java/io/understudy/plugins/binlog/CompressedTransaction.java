package io.understudy.plugins.binlog;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/**
 * Reads the begin of MySQL's Transaction_payload_event ({@code binlog_transaction_compression}). Body: fields of a
 * type, a length and a value, all length-encoded integers, up to one of type 0 without more; then events without
 * checksums, as one zstd frame. The first of them is the query event of BEGIN.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1">RFC 8878: the header of a frame</a>
 */
final class CompressedTransaction {
    private static final int END_OF_FIELDS = 0;
    private static final int ALGORITHM = 2;
    private static final int ZSTD = 0;

    private static final int MAGIC = 0xFD2F_B528;
    private static final int SINGLE_SEGMENT = 0x20;
    /** Memory that the library may take for the window: levels up to 19 need no more. */
    private static final long LARGEST_WINDOW = 8 << 20;
    /** The longest block, its header and that of the frame: more is not needed for the first events. */
    private static final int FIRST_BLOCK = (128 << 10) + 64;

    private static final int EVENT_BEGIN = EventHeader.LENGTH + 4;

    private CompressedTransaction() {}

    /**
     * Returns the connection id of the client that wrote the transaction; 0 if its begin is not available.
     *
     * @param end of the available part of the body
     */
    static long thread(ByteBuf buf, int body, int end) {
        int[] at = {body};
        long algorithm = ZSTD;
        while (at[0] < end) {
            long type = number(buf, at, end);
            if (type == END_OF_FIELDS) {
                return algorithm == ZSTD ? threadIn(buf, at[0], end) : 0;
            }
            long length = number(buf, at, end);
            if (type < 0 || length < 0 || length > end - at[0]) {
                return 0;
            }
            int next = at[0] + (int) length;
            algorithm = type == ALGORITHM ? number(buf, at, next) : algorithm;
            at[0] = next;
        }
        return 0;
    }

    /** Reads a length-encoded integer at {@code at} and moves that behind it. Returns -1 if there is none. */
    private static long number(ByteBuf buf, int[] at, int end) {
        int first = at[0] < end ? buf.getUnsignedByte(at[0]++) : 0xFF;
        int bytes = first < 0xFB ? 0 : first == 0xFC ? 2 : first == 0xFD ? 3 : first == 0xFE ? 8 : -1;
        if (bytes < 0 || at[0] + bytes > end) {
            return -1;
        }
        long value = bytes == 0 ? first : 0;
        for (int i = 0; i < bytes; i++) {
            value |= (long) buf.getUnsignedByte(at[0] + i) << (8 * i);
        }
        at[0] += bytes;
        return value;
    }

    private static long threadIn(ByteBuf buf, int from, int end) {
        if (window(buf, from, end) > LARGEST_WINDOW) {
            return 0;
        }
        int length = Math.min(end - from, FIRST_BLOCK);
        ByteBuf source = buf.alloc().directBuffer(length).writeBytes(buf, from, length);
        ByteBuf target = buf.alloc().directBuffer(EVENT_BEGIN);
        try (ZstdDecompressCtx context = new ZstdDecompressCtx()) {
            ByteBuffer out = target.nioBuffer(0, EVENT_BEGIN);
            context.decompressDirectByteBufferStream(out, source.nioBuffer());
            boolean begins = out.position() == EVENT_BEGIN && EventHeader.type(target, 0) == EventType.QUERY;
            return begins ? target.getUnsignedIntLE(EventHeader.LENGTH) : 0;
        } catch (ZstdException e) {
            return 0;
        } finally {
            source.release();
            target.release();
        }
    }

    /** Returns the bytes of the frame's window, as it says; the largest number if it does not. */
    private static long window(ByteBuf buf, int at, int end) {
        if (at + 14 > end || buf.getIntLE(at) != MAGIC) {
            return Long.MAX_VALUE;
        }
        int descriptor = buf.getUnsignedByte(at + 4);
        int next = buf.getUnsignedByte(at + 5);
        if ((descriptor & SINGLE_SEGMENT) == 0) {
            long base = 1L << (10 + (next >>> 3));
            return base + base / 8 * (next & 7);
        }
        int size = at + 5 + ((descriptor & 3) == 3 ? 4 : descriptor & 3);
        return switch (descriptor >>> 6) {
            case 0 -> buf.getUnsignedByte(size);
            case 1 -> buf.getUnsignedShortLE(size) + 256L;
            case 2 -> buf.getUnsignedIntLE(size);
            default -> Math.max(buf.getLongLE(size) & Long.MAX_VALUE, buf.getLongLE(size) < 0 ? Long.MAX_VALUE : 0);
        };
    }
}
