package io.understudy.wire.compress;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.wire.MalformedPacketException;
import java.nio.ByteBuffer;

/** CLIENT_ZSTD_COMPRESSION_ALGORITHM, of MySQL 8.0.18 and newer. */
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
            // Before memory is had for it: a few bytes may say that they hold 16 MB.
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

    @Override
    public long inflationBytes(ByteBuf start, boolean complete, int length) {
        return ZstdFrame.inflationBytes(start, complete, length);
    }

    @Override
    public boolean mayHoldLess() {
        return false;
    }

    @Override
    public Inflation inflation() {
        return new Piecewise();
    }

    private static final class Piecewise implements Inflation {
        /** Most bytes that are copied to give the library one piece of memory. */
        private static final int STEP = 64 * 1024;

        private final ZstdDecompressCtx context = new ZstdDecompressCtx();
        private boolean finished;

        @Override
        public void inflate(ByteBuf in, ByteBuf out, int room) {
            if (out.isDirect()) {
                inflateDirect(in, out, room);
                return;
            }
            ByteBuf target = in.alloc().directBuffer(room);
            try {
                inflateDirect(in, target, room);
                out.writeBytes(target);
            } finally {
                target.release();
            }
        }

        private void inflateDirect(ByteBuf in, ByteBuf out, int room) {
            while (!finished && out.readableBytes() < room) {
                ByteBuf source = direct(in.slice(in.readerIndex(), Math.min(STEP, in.readableBytes())));
                try {
                    ByteBuffer from = source.nioBuffer();
                    ByteBuffer to = out.nioBuffer(out.writerIndex(), room - out.readableBytes());
                    int length = from.remaining();
                    int space = to.remaining();
                    finished = context.decompressDirectByteBufferStream(to, from);
                    int used = length - from.remaining();
                    int made = space - to.remaining();
                    in.skipBytes(used);
                    out.writerIndex(out.writerIndex() + made);
                    if (used == 0 && made == 0) {
                        return;
                    }
                } catch (ZstdException e) {
                    throw new MalformedPacketException("a compressed frame is no zstd data: " + e.getMessage());
                } finally {
                    source.release();
                }
            }
        }

        @Override
        public boolean finished() {
            return finished;
        }

        @Override
        public void close() {
            context.close();
        }
    }

    /** The library wants memory outside of the heap, in one piece. */
    private static ByteBuf direct(ByteBuf in) {
        if (in.isDirect() && in.nioBufferCount() == 1) {
            return in.retainedSlice();
        }
        return in.alloc().directBuffer(in.readableBytes()).writeBytes(in, in.readerIndex(), in.readableBytes());
    }
}
