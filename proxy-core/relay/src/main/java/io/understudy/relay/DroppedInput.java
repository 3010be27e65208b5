package io.understudy.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The end of a connection whose peer may still be sending: nothing more is written, and what arrives is dropped, ahead
 * of TLS and compression, until the peer has closed its side. Bounded in time and bytes.
 */
final class DroppedInput extends ChannelInboundHandlerAdapter {
    private static final long SECONDS = 2;
    /** More than most statements; the rest of a longer one leads to a reset. */
    private static final long BYTES = 64L << 20;

    private long left = BYTES;

    private DroppedInput() {}

    /** Must be called once everything written has left. */
    static void untilClosed(DuplexChannel channel, @Nullable SslHandler tls) {
        if (tls != null) {
            tls.closeOutbound();
        }
        channel.pipeline().addFirst(new DroppedInput());
        Future<?> end = channel.eventLoop().schedule(() -> channel.close(), SECONDS, TimeUnit.SECONDS);
        channel.closeFuture().addListener(closed -> end.cancel(false));
        channel.shutdownOutput();
        channel.config().setAutoRead(true);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        left -= ((ByteBuf) msg).readableBytes();
        ((ByteBuf) msg).release();
        if (left < 0) {
            ctx.channel().close();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            ctx.channel().close();
        }
    }
}
