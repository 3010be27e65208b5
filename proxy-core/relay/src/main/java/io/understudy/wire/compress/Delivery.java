package io.understudy.wire.compress;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderException;

/** Takes what a {@link FrameDecoder} has to say. Called with the decoder's context, on the connection's event loop. */
abstract class Delivery {
    /** The handler behind the decoder, while the connection is open. */
    static final Delivery NEXT_HANDLER = new Delivery() {
        @Override
        void content(ChannelHandlerContext ctx, ByteBuf piece) {
            ctx.fireChannelRead(piece);
        }

        @Override
        void readComplete(ChannelHandlerContext ctx) {
            ctx.fireChannelReadComplete();
        }

        @Override
        void failed(ChannelHandlerContext ctx, DecoderException failure) {
            ctx.fireExceptionCaught(failure);
        }

        @Override
        void closed(ChannelHandlerContext ctx) {
            ctx.fireChannelInactive();
        }

        @Override
        boolean isLate() {
            return false;
        }

        @Override
        void end() {}
    };

    /** Delivers a piece of content; ownership passes. */
    abstract void content(ChannelHandlerContext ctx, ByteBuf piece);

    abstract void readComplete(ChannelHandlerContext ctx);

    /** Reports a frame that cannot be read; nothing follows. */
    abstract void failed(ChannelHandlerContext ctx, DecoderException failure);

    /** Reports the connection's close; nothing follows. */
    abstract void closed(ChannelHandlerContext ctx);

    /** Returns whether the connection has closed. */
    abstract boolean isLate();

    /** Called when the decoder has dropped what it held, ahead of a last report. */
    abstract void end();
}
