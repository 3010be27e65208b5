package io.understudy.relay;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.AttributeKey;
import io.understudy.connection.DescriptorShortage;
import java.util.concurrent.TimeUnit;

/**
 * Keeps a listener accepting when the process is out of file descriptors: takes one of those held back for the next
 * connection, and returns it when that has been answered and closed. In the pipeline of one listener, on its event
 * loop.
 */
public final class AcceptReserve extends ChannelInboundHandlerAdapter {
    private static final AttributeKey<Boolean> BORROWED = AttributeKey.valueOf(AcceptReserve.class, "borrowed");
    private static final long RETRY_MILLIS = 100;
    /** Connections answered at a time: a part of what is held back, because other listeners need it too. */
    private static final int MOST_BORROWERS = 4;

    private final DescriptorShortage shortage;
    /** Connections accepted in the shortage, and still open. */
    private int borrowers;

    private boolean retrying;

    public AcceptReserve(DescriptorShortage shortage) {
        this.shortage = shortage;
    }

    /** Whether a connection was accepted in a shortage: it is to be answered and closed at once. */
    public static boolean isBorrowed(Channel accepted) {
        return Boolean.TRUE.equals(accepted.attr(BORROWED).get());
    }

    /** Netty's own way with a failed accept is to pause for a second. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!DescriptorShortage.is(cause)) {
            ctx.fireExceptionCaught(cause);
            return;
        }
        shortage.happened();
        // Off and on again, so that an edge-triggered listener asks for what is waiting.
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
