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
 * Takes packets out of frames. A frame's header has three bytes of length, one of number, and three of the length
 * before compression, which is 0 for an uncompressed frame. Memory is bounded by one frame of 16 MB and its content,
 * which may not exceed the stated length.
 *
 * <p>Content is passed on in pieces, and not at all while the channel is not being read from: a few received bytes can
 * expand a thousandfold, so back-pressure that only stopped reading would come too late.
 */
final class FrameDecoder extends ChannelInboundHandlerAdapter {
    /** The maximum size of one read on an uncompressed connection. */
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

    /** Received bytes not yet decoded. */
    private ByteBuf frames = Unpooled.EMPTY_BUFFER;
    /** Content of the last frame not yet passed on. */
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

    /**
     * Passes on withheld content, because the channel is being read from again. Runs as a later task, since the caller
     * may itself be handling content.
     */
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

    /** Decodes complete frames up to the first with content, and returns whether there was one. */
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
            // Nobody is left to receive the responses.
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
