package io.understudy.wire.compress;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.EventExecutor;
import io.understudy.base.NoTask;
import io.understudy.wire.MalformedPacketException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads frames: three bytes of length, one of number, three of the length before compression, which is 0 for what was
 * not worth compressing. Holds at most one read's bytes, or a frame of at most 64 KiB. Long frames are decompressed in
 * pieces, one frame after another, each with memory of the {@link InflationBudget}. Confined to the connection's event
 * loop.
 */
final class FrameReader {
    /**
     * Bytes of a frame that is not compressed, or is short, at once: as many as one read of a plain connection gives.
     */
    private static final int SHORT = FrameEncoder.MAX_FRAME;
    /** Bytes of a longer frame inflated at once. */
    private static final int PIECE = 32 * 1024;

    private static final int WATCH_SECONDS = 1;

    private final Codec codec;
    private final FrameNumbers numbers;
    private final InflationBudget budget;
    private final InflationBudget.Share share;
    private final Runnable resume;
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

    /** The long frame that is being decompressed. */
    private Codec.Inflation inflation = Codec.Inflation.NONE;

    private boolean waiting;
    /** While {@link #waiting}. */
    private Future<?> watch = NoTask.NONE;

    private boolean mayWait = true;
    /** The share waits for memory, or holds some. */
    private boolean asked;

    /**
     * @param resume called when a frame that waited for memory may go on
     * @param evicted called when others wait for the memory of a frame that stays unfinished
     */
    FrameReader(Codec codec, FrameNumbers numbers, InflationBudget budget, Runnable resume, Runnable evicted) {
        this.codec = codec;
        this.numbers = numbers;
        this.budget = budget;
        this.resume = resume;
        share = budget.share(this::granted, evicted);
    }

    /** Returns whether a frame waits for memory. */
    boolean waits() {
        return waiting;
    }

    /** Takes memory beyond the limit from now on, because the connection has closed. */
    void waitNoLonger() {
        waitEnded();
        mayWait = false;
    }

    /** Returns whether a long frame has begun and its data has not ended. */
    boolean isOpen() {
        return inflation != Codec.Inflation.NONE;
    }

    /** Begins a long frame. Returns false while its data or the memory for it have to be waited for. */
    private boolean open(EventExecutor loop, ByteBuf data, boolean complete) {
        if (!share.isHeld()) {
            long needed = codec.inflationBytes(data, complete, original);
            if (needed < 0) {
                return false;
            }
            asked = true;
            if (!mayWait) {
                share.takeAtOnce(needed, loop);
            } else if (!share.take(needed, loop)) {
                waiting = true;
                watch(loop);
                return false;
            }
        }
        inflation = codec.inflation();
        return true;
    }

    private void granted() {
        waitEnded();
        resume.run();
    }

    private void waitEnded() {
        waiting = false;
        watch.cancel(false);
    }

    private void watch(EventExecutor loop) {
        budget.evictStalled();
        watch = loop.schedule(() -> watch(loop), WATCH_SECONDS, TimeUnit.SECONDS);
    }

    /** Ends the long frame, or the wait for its memory. */
    private void endInflation() {
        waitEnded();
        Codec.Inflation last = inflation;
        inflation = Codec.Inflation.NONE;
        last.close();
        if (asked) {
            asked = false;
            share.give();
        }
    }

    /** Drops all that is held. */
    void close() {
        release();
        endInflation();
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

    private void release() {
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
            if (inFrame && frameLeft == 0 && originalLeft == 0 && !isOpen()) {
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
        return frameLeft <= SHORT && original <= SHORT && !isOpen() && !dataEnded;
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
        if (waiting) {
            return null;
        }
        ByteBuf in = received.slice(received.readerIndex(), present());
        if (!isOpen() && !open(ctx.executor(), in, in.readableBytes() == frameLeft)) {
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
            endInflation();
        } else if (made) {
            share.progressed(PIECE);
        }
    }
}
