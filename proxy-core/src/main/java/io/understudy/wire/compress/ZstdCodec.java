package io.understudy.wire.compress;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.wire.MalformedPacketException;
import java.nio.ByteBuffer;

/** CLIENT_ZSTD_COMPRESSION_ALGORITHM, in MySQL 8.0.18 and newer. */
final class ZstdCodec implements Codec {
    private final int level;

    /** @param level 1 to 22 */
    ZstdCodec(int level) {
        this.level = level;
    }

    @Override
    public void compress(ByteBuf in, ByteBuf out) {
        int length = in.readableBytes();
        int bound = (int) Zstd.compressBound(length);
        ByteBuf source = direct(in);
        ByteBuf target = in.alloc().directBuffer(bound);
        try {
            ByteBuffer to = target.nioBuffer(0, bound);
            long made = Zstd.compressDirectByteBuffer(to, to.position(), bound, source.nioBuffer(), 0, length, level);
            if (Zstd.isError(made)) {
                throw new IllegalStateException("zstd: " + Zstd.getErrorName(made));
            }
            out.writeBytes(target, 0, (int) made);
        } finally {
            source.release();
            target.release();
        }
        in.readerIndex(in.writerIndex());
    }

    @Override
    public void decompress(ByteBuf in, ByteBuf out, int length) {
        ByteBuf source = direct(in);
        ByteBuf target = Unpooled.EMPTY_BUFFER;
        try {
            // Checked before memory is allocated: a few bytes may claim to hold 16 MB.
            long stated = Zstd.getDirectByteBufferFrameContentSize(source.nioBuffer(), 0, source.readableBytes());
            if (stated >= 0 && stated != length) {
                throw new MalformedPacketException(
                        "a compressed frame says it holds " + length + " bytes, and its data " + stated);
            }
            target = in.alloc().directBuffer(length);
            int made = Zstd.decompress(target.nioBuffer(0, length), source.nioBuffer());
            if (made != length) {
                throw new MalformedPacketException(
                        "a compressed frame says it holds " + length + " bytes, and holds " + made);
            }
            out.writeBytes(target, 0, length);
        } catch (ZstdException e) {
            throw new MalformedPacketException("a compressed frame is no zstd data: " + e.getMessage());
        } finally {
            source.release();
            target.release();
        }
        in.readerIndex(in.writerIndex());
    }

    /** Returns the bytes in one piece outside the heap, as the library requires. */
    private static ByteBuf direct(ByteBuf in) {
        if (in.isDirect() && in.nioBufferCount() == 1) {
            return in.retainedSlice();
        }
        return in.alloc().directBuffer(in.readableBytes()).writeBytes(in, in.readerIndex(), in.readableBytes());
    }
}
