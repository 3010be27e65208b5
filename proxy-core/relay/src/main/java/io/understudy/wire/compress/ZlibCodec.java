package io.understudy.wire.compress;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.FastThreadLocal;
import io.understudy.wire.MalformedPacketException;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * CLIENT_COMPRESS. Each frame is a stream of its own, so all connections of a thread share one codec and its memory.
 */
final class ZlibCodec implements Codec {
    private static final FastThreadLocal<ZlibCodec> OF_THREAD = new FastThreadLocal<>() {
        @Override
        protected ZlibCodec initialValue() {
            return new ZlibCodec();
        }

        @Override
        protected void onRemoval(ZlibCodec codec) {
            codec.deflater.end();
            codec.inflater.end();
        }
    };

    private static final int CHUNK = 16 * 1024;
    /** zlib's window of 32 KiB and its state, rounded up. */
    private static final long INFLATION_BYTES = 48 * 1024;

    private final Deflater deflater = new Deflater();
    private final Inflater inflater = new Inflater();

    private ZlibCodec() {}

    static ZlibCodec ofThread() {
        return OF_THREAD.get();
    }

    @Override
    public void compress(ByteBuf in, ByteBuf out) {
        deflater.reset();
        deflater.setInput(in.nioBuffer());
        deflater.finish();
        while (!deflater.finished()) {
            out.ensureWritable(CHUNK);
            int made = deflater.deflate(out.nioBuffer(out.writerIndex(), out.writableBytes()));
            out.writerIndex(out.writerIndex() + made);
        }
        in.readerIndex(in.writerIndex());
    }

    @Override
    public long inflationBytes(ByteBuf start, boolean complete, int length) {
        return INFLATION_BYTES;
    }

    @Override
    public boolean mayHoldLess() {
        return true;
    }

    @Override
    public Inflation inflation() {
        return new Piecewise();
    }

    /** With an inflater of its own: others are used before it is done. */
    private static final class Piecewise implements Inflation {
        private final Inflater inflater = new Inflater();

        @Override
        public void inflate(ByteBuf in, ByteBuf out, int room) {
            ZlibCodec.inflate(inflater, in, out, room);
        }

        @Override
        public boolean finished() {
            return inflater.finished();
        }

        @Override
        public void close() {
            inflater.end();
        }
    }

    @Override
    public void decompress(ByteBuf in, ByteBuf out, int length) {
        inflater.reset();
        int before = out.readableBytes();
        inflate(inflater, in, out, length);
        try {
            boolean full = out.readableBytes() - before == length;
            boolean more = full && !inflater.finished() && inflater.inflate(new byte[1]) > 0;
            if (more || !inflater.finished()) {
                throw new MalformedPacketException(
                        "a compressed frame says it holds " + length + " bytes, and does not");
            }
        } catch (DataFormatException e) {
            throw noZlib(e);
        }
        in.readerIndex(in.writerIndex());
    }

    private static void inflate(Inflater inflater, ByteBuf in, ByteBuf out, int room) {
        ByteBuffer source = in.nioBuffer();
        int length = source.remaining();
        inflater.setInput(source);
        int left = room;
        try {
            while (left > 0) {
                // Grows with the actual content, not with the length that the frame states.
                out.ensureWritable(Math.min(left, CHUNK));
                int most = Math.min(left, out.writableBytes());
                int made = inflater.inflate(out.nioBuffer(out.writerIndex(), most));
                if (made == 0) {
                    break;
                }
                out.writerIndex(out.writerIndex() + made);
                left -= made;
            }
        } catch (DataFormatException e) {
            throw noZlib(e);
        }
        in.skipBytes(length - inflater.getRemaining());
    }

    private static MalformedPacketException noZlib(DataFormatException e) {
        return new MalformedPacketException("a compressed frame is no zlib data: " + e.getMessage());
    }
}
