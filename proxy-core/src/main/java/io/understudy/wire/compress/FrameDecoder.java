package io.understudy.wire.compress;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.DecoderException;
import org.jspecify.annotations.Nullable;

/**
 * Takes packets out of frames: three bytes of length, one of number, three of the length before compression, which is 0
 * for what was not worth compressing. No more than one frame's 16 MB is held, and no more made of it than it says.
 *
 * <p>Hands on in pieces, and none while the channel is not to be read from: a few bytes received can hold a thousand times
 * as many, so that not reading any more would come too late for back-pressure.
 */
final class FrameDecoder extends ChannelInboundHandlerAdapter {
    /** What one read of a connection without compression gives at most. */
    private static final int PIECE = FrameEncoder.MAX_FRAME;

    private final Codec codec;
    private final FrameNumbers numbers;
    private final boolean peerIsClient;
    private final PacketNumbers packets = new PacketNumbers() {
        @Override
        void number(ByteBuf buf, int index) {
            buf.setByte(index, numbers.packetReceived(buf.getUnsignedByte(index)));
        }
    };

    /** Received and not taken apart. */
    private ByteBuf frames = Unpooled.EMPTY_BUFFER;
    /** Out of the last frame and not handed on. */
    private ByteBuf content = Unpooled.EMPTY_BUFFER;

    private boolean running;
    private boolean paused;
    private boolean resuming;
    private boolean ending;
    private boolean broken;
    private @Nullable Object shutdown;

    FrameDecoder(Codec codec, FrameNumbers numbers, boolean peerIsClient) {
        this.codec = codec;
        this.numbers = numbers;
        this.peerIsClient = peerIsClient;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        ByteBuf bytes = (ByteBuf) msg;
        if (broken) {
            bytes.release();
            return;
        }
        frames = ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(ctx.alloc(), frames, bytes);
        run(ctx);
    }

    /** The channel is to be read from: what was held back goes on, later, because this may be within its own doing. */
    void resume(ChannelHandlerContext ctx) {
        if (!paused || resuming) {
            return;
        }
        resuming = true;
        ctx.executor().execute(() -> {
            resuming = false;
            ChannelHandlerContext own = ctx.pipeline().context(this);
            if (own != null) {
                run(own);
                own.fireChannelReadComplete();
            }
        });
    }

    private void run(ChannelHandlerContext ctx) {
        if (running) {
            return;
        }
        running = true;
        try {
            boolean goesOn = true;
            while (goesOn && (content.isReadable() || next(ctx))) {
                goesOn = ending || ctx.channel().config().isAutoRead();
                if (goesOn) {
                    ctx.fireChannelRead(piece());
                }
            }
            paused = !goesOn;
            if (!frames.isReadable()) {
                frames.release();
                frames = Unpooled.EMPTY_BUFFER;
            }
        } catch (RuntimeException e) {
            broken = true;
            discard();
            ctx.fireExceptionCaught(new DecoderException(e));
        } finally {
            running = false;
        }
        Object event = shutdown;
        if (event != null && !paused) {
            shutdown = null;
            ctx.fireUserEventTriggered(event);
        }
    }

    private ByteBuf piece() {
        if (content.readableBytes() > PIECE) {
            return content.readRetainedSlice(PIECE);
        }
        ByteBuf last = content;
        content = Unpooled.EMPTY_BUFFER;
        return last;
    }

    /** Takes the content out of the next frames that are whole, up to one that has any. */
    private boolean next(ChannelHandlerContext ctx) {
        while (frames.readableBytes() >= FrameEncoder.HEADER) {
            int at = frames.readerIndex();
            int length = frames.getUnsignedMediumLE(at);
            if (frames.readableBytes() < FrameEncoder.HEADER + length) {
                return false;
            }
            numbers.frameReceived(frames.getUnsignedByte(at + 3));
            int original = frames.getUnsignedMediumLE(at + 4);
            frames.skipBytes(FrameEncoder.HEADER);
            content.release();
            content = Unpooled.EMPTY_BUFFER;
            content = original == 0
                    ? frames.readRetainedSlice(length)
                    : decompressed(ctx, frames.readSlice(length), original);
            packets.walk(content, content.readerIndex());
            if (content.isReadable()) {
                return true;
            }
        }
        return false;
    }

    private ByteBuf decompressed(ChannelHandlerContext ctx, ByteBuf frame, int original) {
        ByteBuf made = ctx.alloc().buffer(Math.min(original, 4 * frame.readableBytes() + 64));
        try {
            codec.decompress(frame, made, original);
            return made;
        } catch (RuntimeException e) {
            made.release();
            throw e;
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent && paused) {
            shutdown = event;
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (peerIsClient) {
            // Nobody is left to take the answers.
            discard();
        } else {
            ending = true;
            run(ctx);
        }
        ctx.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        discard();
    }

    private void discard() {
        frames.release();
        frames = Unpooled.EMPTY_BUFFER;
        content.release();
        content = Unpooled.EMPTY_BUFFER;
        paused = false;
    }
}
