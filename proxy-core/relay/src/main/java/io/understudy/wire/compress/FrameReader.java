package io.understudy.wire.compress;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.understudy.wire.MalformedPacketException;
import org.jspecify.annotations.Nullable;

/**
 * Reads frames: three bytes of length, one of number, three of the length before compression, which is 0 for what was
 * not worth compressing. Holds at most one read's bytes, or a frame of at most 64 KiB.
 */
final class FrameReader {
    /**
     * Bytes of a frame that is not compressed, or is short, at once: as many as one read of a plain connection gives.
     */
    private static final int SHORT = FrameEncoder.MAX_FRAME;
    /** Bytes of a longer frame inflated at once. */
    private static final int PIECE = 32 * 1024;

    private final Codec codec;
    private final FrameNumbers numbers;
    private final BudgetedInflation inflation;
    private final PacketNumbers packets = new PacketNumbers() {
        @Override
        void number(ByteBuf buf, int index, boolean continued) {
            buf.setByte(index, numbers.packetReceived(buf.getUnsignedByte(index), continued));
        }
    };

    /** Received and not taken apart. */
    private ByteBuf received = Unpooled.EMPTY_BUFFER;
    /** A copy made to wait, which {@link #received} may be. */
    private ByteBuf kept = Unpooled.EMPTY_BUFFER;

    /** Within a frame, whose header has been read. */
    private boolean inFrame;
    /** Bytes of the frame that are not used yet. */
    private int frameLeft;
    /** The content's length according to the frame; 0 if the frame is not compressed. */
    private int original;
    /** Bytes of that content which are not decompressed yet. */
    private int originalLeft;
    /** Whether the rest of the frame is behind the end of its data. */
    private boolean dataEnded;

    /** @param inflation decompresses long frames */
    FrameReader(Codec codec, FrameNumbers numbers, BudgetedInflation inflation) {
        this.codec = codec;
        this.numbers = numbers;
        this.inflation = inflation;
    }

    /** Adds received bytes. Takes ownership. */
    void add(ChannelHandlerContext ctx, ByteBuf bytes) {
        received = ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(ctx.alloc(), received, bytes);
    }

    /** Returns whether all bytes have been read, and end with a frame. */
    boolean drained() {
        return !received.isReadable() && !inFrame;
    }

    /** Copies the bytes that stay: a read's buffer is larger than they are, and may hold the bytes of other packets. */
    @SuppressWarnings("ReferenceEquality") // another buffer, not another content
    void keepRest(ChannelHandlerContext ctx) {
        if (!received.isReadable()) {
            release();
        } else if (received != kept) {
            received = Fitting.exact(ctx, received);
            kept = received;
        }
    }

    /** Drops the bytes that wait. */
    void release() {
        received.release();
        received = Unpooled.EMPTY_BUFFER;
        kept = Unpooled.EMPTY_BUFFER;
    }

    /** Returns the next piece of content, or null if that takes more than has come. */
    @Nullable
    ByteBuf next(ChannelHandlerContext ctx) {
        while (true) {
            if (!inFrame && !begin()) {
                return null;
            }
            ByteBuf piece = original == 0 ? asItIs() : isShort() ? whole(ctx) : inflated(ctx);
            if (inFrame && frameLeft == 0 && originalLeft == 0 && !inflation.isOpen()) {
                inFrame = false;
            }
            if (piece != null) {
                packets.walk(piece, piece.readerIndex());
                return piece;
            }
            if (inFrame) {
                return null;
            }
        }
    }

    private boolean begin() {
        if (received.readableBytes() < FrameEncoder.HEADER) {
            return false;
        }
        frameLeft = received.readUnsignedMediumLE();
        numbers.frameReceived(received.readUnsignedByte());
        original = received.readUnsignedMediumLE();
        originalLeft = original;
        dataEnded = false;
        inFrame = true;
        return true;
    }

    private boolean isShort() {
        return frameLeft <= SHORT && original <= SHORT && !inflation.isOpen() && !dataEnded;
    }

    private @Nullable ByteBuf asItIs() {
        int length = Math.min(SHORT, present());
        frameLeft -= length;
        return length == 0 ? null : received.readRetainedSlice(length);
    }

    /** Returns how many of the frame's unused bytes have come. */
    private int present() {
        return Math.min(frameLeft, received.readableBytes());
    }

    private @Nullable ByteBuf whole(ChannelHandlerContext ctx) {
        if (received.readableBytes() < frameLeft) {
            return null;
        }
        ByteBuf made = ctx.alloc().buffer(Math.min(original, 4 * frameLeft + 64));
        try {
            codec.decompress(received.readSlice(frameLeft), made, original);
        } catch (RuntimeException | OutOfMemoryError e) {
            made.release();
            throw e;
        }
        frameLeft = 0;
        originalLeft = 0;
        if (!made.isReadable()) {
            made.release();
            return null;
        }
        return made;
    }

    private @Nullable ByteBuf inflated(ChannelHandlerContext ctx) {
        if (dataEnded) {
            int rest = present();
            received.skipBytes(rest);
            frameLeft -= rest;
            return null;
        }
        if (inflation.waits()) {
            return null;
        }
        ByteBuf in = received.slice(received.readerIndex(), present());
        if (!inflation.isOpen() && !inflation.open(ctx.executor(), in, in.readableBytes() == frameLeft, original)) {
            return null;
        }
        int room = Math.max(1, Math.min(PIECE, originalLeft));
        ByteBuf out = ctx.alloc().buffer(room);
        try {
            inflation.inflate(in, out, room);
            received.skipBytes(in.readerIndex());
            frameLeft -= in.readerIndex();
            originalLeft -= out.readableBytes();
            // Such as zlib data that wants a dictionary: all that follows would be kept, without bound.
            boolean stuck = in.readerIndex() == 0 && in.isReadable() && !out.isReadable() && !inflation.finished();
            checkEnd(out.isReadable(), stuck);
        } catch (RuntimeException | OutOfMemoryError e) {
            out.release();
            throw e;
        }
        if (!out.isReadable()) {
            out.release();
            return null;
        }
        return Fitting.fitting(ctx, out);
    }

    private void checkEnd(boolean made, boolean stuck) {
        boolean finished = inflation.finished();
        if (stuck
                || originalLeft < 0
                || finished && originalLeft > 0 && !codec.mayHoldLess()
                || !made && !finished && frameLeft == 0) {
            throw new MalformedPacketException("a compressed frame says it holds " + original + " bytes, and does not");
        }
        if (finished) {
            dataEnded = true;
            originalLeft = 0;
            inflation.close();
        } else if (made) {
            inflation.progressed(PIECE);
        }
    }
}
