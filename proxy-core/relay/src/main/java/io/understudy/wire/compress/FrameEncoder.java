package io.understudy.wire.compress;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.understudy.wire.Packets;
import org.jspecify.annotations.Nullable;

/**
 * Puts packets into frames: what was written since the last flush goes into one, or several when it is much, and each
 * command of a client's into one of its own.
 *
 * <p>Frames usually end anywhere. Servers end them at 16 KiB and at the end of what they send, so that a packet lies in
 * two frames at most (in three if it has nearly 16 MB), and MySQL Connector/Python expects this. With
 * {@link #keepPacketsWhole} a frame holds whole packets; a packet of more than {@link #MAX_FRAME} bytes has one of its
 * own, which is not compressed, because its length has to be known ahead of its first byte.
 */
final class FrameEncoder extends ChannelOutboundHandlerAdapter {
    static final int HEADER = 7;
    /** As both products have it: less is not worth the work. */
    static final int MIN_COMPRESSED = 50;
    /** Bytes in one frame before compression; also how much may wait for a flush. */
    static final int MAX_FRAME = 64 * 1024;
    /** The greatest length that a frame's header can state. */
    private static final int MAX_LENGTH = 0xFF_FFFF;

    private final Codec codec;
    private final FrameNumbers numbers;
    private final Packeted packets = new Packeted();

    private ByteBuf pending = Unpooled.EMPTY_BUFFER;
    private @Nullable ChannelHandlerContext emitting;
    /** Index in {@link #pending} up to which packets have been walked. */
    private int walked;

    private boolean wholePackets;
    /** Indexes in {@link #pending} of the last packet walked; it may begin before and end behind what waits. */
    private int packetStart;

    private int packetEnd;
    /** Bytes still due in a frame that is not compressed and whose header has been sent. */
    private int storedLeft;

    FrameEncoder(Codec codec, FrameNumbers numbers) {
        this.codec = codec;
        this.numbers = numbers;
    }

    void keepPacketsWhole() {
        wholePackets = true;
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object msg, ChannelPromise promise) {
        ByteBuf bytes = (ByteBuf) msg;
        if (!promise.isVoid()) {
            // Somebody waits for these bytes to have left: nothing may be left behind them.
            take(ctx, bytes);
            emit(ctx);
            ctx.write(Unpooled.EMPTY_BUFFER, promise);
            return;
        }
        take(ctx, bytes);
        if (pending.readableBytes() >= MAX_FRAME) {
            emit(ctx);
        }
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
        emit(ctx);
        ctx.flush();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        pending.release();
        pending = Unpooled.EMPTY_BUFFER;
    }

    @SuppressWarnings("ReferenceEquality") // the mark for no buffer
    private void take(ChannelHandlerContext ctx, ByteBuf bytes) {
        try {
            if (pending == Unpooled.EMPTY_BUFFER) {
                pending = ctx.alloc().buffer(bytes.readableBytes());
                walked = 0;
            }
            pending.writeBytes(bytes);
        } finally {
            bytes.release();
        }
    }

    private void emit(ChannelHandlerContext ctx) {
        if (!pending.isReadable()) {
            return;
        }
        emitting = ctx;
        packets.walk(pending, walked);
        frames(ctx, sendable());
        packetStart -= pending.readerIndex();
        packetEnd -= pending.readerIndex();
        if (pending.isReadable()) {
            pending.discardReadBytes();
            walked = pending.writerIndex();
        } else {
            pending.release();
            pending = Unpooled.EMPTY_BUFFER;
        }
    }

    /** Returns the index up to which the bytes that wait may be sent. */
    private int sendable() {
        // A header that is cut may begin a command: it waits for its number.
        int end = pending.writerIndex() - packets.cutHeader();
        if (!wholePackets || packetEnd <= end) {
            return end;
        }
        int stored = Math.min(end, pending.readerIndex() + storedLeft);
        return Math.max(packetStart, stored);
    }

    /** Sends what waits up to {@code end}. */
    private void frames(@Nullable ChannelHandlerContext ctx, int end) {
        while (ctx != null && pending.readerIndex() < end) {
            int length = Math.min(MAX_FRAME, end - pending.readerIndex());
            if (storedLeft > 0) {
                length = Math.min(length, storedLeft);
                storedLeft -= length;
                ctx.write(ctx.alloc().buffer(length).writeBytes(pending, length), ctx.voidPromise());
            } else {
                ctx.write(frame(ctx, pending.readSlice(length)), ctx.voidPromise());
            }
        }
    }

    /** Sends what is ahead of a packet that does not fit into the same frame, or needs one of its own. */
    private void arrange(@Nullable ChannelHandlerContext ctx) {
        if (ctx == null || packetEnd - pending.readerIndex() <= MAX_FRAME) {
            return;
        }
        frames(ctx, packetStart);
        int length = packetEnd - packetStart;
        if (length > MAX_FRAME) {
            storedLeft = Math.min(length, MAX_LENGTH);
            ByteBuf header = ctx.alloc().buffer(HEADER);
            header.writeMediumLE(storedLeft).writeByte(numbers.nextFrame()).writeMediumLE(0);
            ctx.write(header, ctx.voidPromise());
        }
    }

    private ByteBuf frame(ChannelHandlerContext ctx, ByteBuf content) {
        int length = content.readableBytes();
        ByteBuf out = ctx.alloc().buffer(HEADER + length);
        try {
            out.writeZero(HEADER);
            boolean compressed = length >= MIN_COMPRESSED;
            if (compressed) {
                codec.compress(content.duplicate(), out);
                compressed = out.readableBytes() - HEADER < length;
            }
            if (!compressed) {
                out.writerIndex(HEADER).writeBytes(content);
            }
            out.setMediumLE(0, out.readableBytes() - HEADER);
            out.setByte(3, numbers.nextFrame());
            out.setMediumLE(4, compressed ? length : 0);
            return Fitting.fitting(ctx, out);
        } catch (RuntimeException | OutOfMemoryError e) {
            out.release();
            throw e;
        }
    }

    /** Sends what is ahead of a command before the command's number begins the frames' anew. */
    private final class Packeted extends PacketNumbers {
        @Override
        void number(ByteBuf buf, int index, boolean continued) {
            int number = buf.getUnsignedByte(index);
            if (numbers.begins(number)) {
                frames(emitting, index - Packets.HEADER + 1);
            }
            numbers.packetSent(number);
            if (wholePackets) {
                packetStart = index - Packets.HEADER + 1;
                packetEnd = index + 1 + buf.getUnsignedMediumLE(packetStart);
                arrange(emitting);
            }
        }
    }
}
