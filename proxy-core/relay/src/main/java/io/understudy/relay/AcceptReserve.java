package io.understudy.relay;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.AttributeKey;
import io.understudy.connection.DescriptorShortage;
import java.util.concurrent.TimeUnit;

/**
 * Keeps a listener accepting while the process is out of file descriptors. The next connection gets one of the
 * descriptors that are held back; when that connection has received an error and is closed, another is held back in its
 * place. In the pipeline of one listener, on its event loop.
 */
public final class AcceptReserve extends ChannelInboundHandlerAdapter {
    private static final AttributeKey<Boolean> BORROWED = AttributeKey.valueOf(AcceptReserve.class, "borrowed");
    private static final long RETRY_MILLIS = 100;
    /** Connections with a lent descriptor at a time. Fewer than are held back, because other listeners need some. */
    private static final int MOST_BORROWERS = 4;

    private final DescriptorShortage shortage;
    /** Connections accepted in the shortage, and still open. */
    private int borrowers;

    private boolean retrying;

    /** Creates the handler of one listener; all listeners share the descriptors that are held back. */
    public AcceptReserve(DescriptorShortage shortage) {
        this.shortage = shortage;
    }

    /** Returns whether the connection was accepted in a shortage: it receives an error and is closed. */
    public static boolean isBorrowed(Channel accepted) {
        return Boolean.TRUE.equals(accepted.attr(BORROWED).get());
    }

    /** Replaces Netty's handling of a failed accept, which pauses the listener for a second. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!DescriptorShortage.is(cause)) {
            ctx.fireExceptionCaught(cause);
            return;
        }
        shortage.happened();
        // Off and on again, so that an edge-triggered listener accepts the connections in its backlog.
        ctx.channel().config().setAutoRead(false);
        if (borrowers < MOST_BORROWERS && shortage.lend()) {
            ctx.executor().execute(() -> ctx.channel().config().setAutoRead(true));
        }
        retryLater(ctx);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        if (shortage.isShort()) {
            Channel accepted = (Channel) msg;
            accepted.attr(BORROWED).set(Boolean.TRUE);
            borrowers++;
            accepted.closeFuture().addListener(closed -> ctx.executor().execute(() -> returned(ctx)));
        }
        ctx.fireChannelRead(msg);
    }

    private void returned(ChannelHandlerContext ctx) {
        borrowers--;
        takeBack(ctx);
    }

    private void retryLater(ChannelHandlerContext ctx) {
        if (!retrying) {
            retrying = true;
            ctx.executor()
                    .schedule(
                            () -> {
                                retrying = false;
                                takeBack(ctx);
                            },
                            RETRY_MILLIS,
                            TimeUnit.MILLISECONDS);
        }
    }

    private void takeBack(ChannelHandlerContext ctx) {
        if (!ctx.channel().isOpen()) {
            return;
        }
        if (!shortage.takeBack()) {
            retryLater(ctx);
        }
        ctx.channel().config().setAutoRead(true);
    }
}
