package io.understudy.wire.compress;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Delivers the rest of a closed connection's content, and the close behind it, for a limited time. Calls the pipeline's
 * last handler itself: Netty removes the handlers of a closed channel, so an event fired from the decoder would reach
 * none of them.
 */
final class LateDelivery extends Delivery {
    /** Bytes of a closed server connection that the client has not taken after this time are dropped. */
    private static final int LINGER_SECONDS = 60;

    private final ChannelHandlerContext last;
    private final Future<?> linger;

    /**
     * @param last the context of a {@link ChannelInboundHandler}
     * @param giveUp called when the time is over
     */
    LateDelivery(ChannelHandlerContext last, Runnable giveUp) {
        this.last = last;
        linger = last.executor().schedule(giveUp, LINGER_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    void content(ChannelHandlerContext ctx, ByteBuf piece) {
        call(handler -> handler.channelRead(last, piece));
    }

    @Override
    void readComplete(ChannelHandlerContext ctx) {
        call(handler -> handler.channelReadComplete(last));
    }

    @Override
    void failed(ChannelHandlerContext ctx, DecoderException failure) {
        call(handler -> handler.exceptionCaught(last, failure));
        closed(ctx);
    }

    @Override
    void closed(ChannelHandlerContext ctx) {
        call(handler -> handler.channelInactive(last));
    }

    @Override
    boolean isLate() {
        return true;
    }

    @Override
    void end() {
        linger.cancel(false);
    }

    private void call(LateCall call) {
        try {
            call.on((ChannelInboundHandler) last.handler());
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private interface LateCall {
        void on(ChannelInboundHandler handler) throws Exception;
    }
}
