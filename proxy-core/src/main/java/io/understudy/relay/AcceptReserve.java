package io.understudy.relay;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.AttributeKey;
import io.understudy.connection.DescriptorShortage;
import java.io.Closeable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a listener accepting when the process is out of file descriptors: one is held back, given up for the next
 * connection, and taken again when that has been answered and closed. In the pipeline of one listener, on its event
 * loop.
 */
public final class AcceptReserve extends ChannelInboundHandlerAdapter {
    private static final AttributeKey<Boolean> BORROWED = AttributeKey.valueOf(AcceptReserve.class, "borrowed");
    private static final long RETRY_MILLIS = 100;

    private final Runnable shortage;
    private @Nullable Closeable reserve;
    /** Connections accepted without a reserve, and still open. */
    private int borrowers;

    private boolean retrying;

    /** @param shortage run whenever a file descriptor was refused, on the listener's event loop */
    public AcceptReserve(Runnable shortage) {
        this.shortage = shortage;
    }

    /** Whether a connection was accepted with the descriptor held back: it is to be answered and closed at once. */
    public static boolean isBorrowed(Channel accepted) {
        return Boolean.TRUE.equals(accepted.attr(BORROWED).get());
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        reserve = DescriptorShortage.reserve();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        giveUp();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        giveUp();
        ctx.fireChannelInactive();
    }

    private boolean giveUp() {
        Closeable held = reserve;
        reserve = null;
        if (held != null) {
            DescriptorShortage.close(held);
        }
        return held != null;
    }

    /** Netty's own way with a failed accept is to pause for a second. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!DescriptorShortage.is(cause)) {
            ctx.fireExceptionCaught(cause);
            return;
        }
        shortage.run();
        // Off and on again, so that an edge-triggered listener asks for what is waiting.
        ctx.channel().config().setAutoRead(false);
        if (giveUp()) {
            ctx.executor().execute(() -> ctx.channel().config().setAutoRead(true));
        }
        retryLater(ctx);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        if (reserve == null) {
            Channel accepted = (Channel) msg;
            accepted.attr(BORROWED).set(Boolean.TRUE);
            borrowers++;
            accepted.closeFuture().addListener(closed -> ctx.executor().execute(() -> returned(ctx)));
            retryLater(ctx);
        }
        ctx.fireChannelRead(msg);
    }

    private void returned(ChannelHandlerContext ctx) {
        borrowers--;
        takeAgain(ctx);
    }

    private void retryLater(ChannelHandlerContext ctx) {
        if (!retrying) {
            retrying = true;
            ctx.executor()
                    .schedule(
                            () -> {
                                retrying = false;
                                takeAgain(ctx);
                            },
                            RETRY_MILLIS,
                            TimeUnit.MILLISECONDS);
        }
    }

    private void takeAgain(ChannelHandlerContext ctx) {
        if (!ctx.channel().isOpen()) {
            return;
        }
        if (reserve == null && borrowers == 0) {
            reserve = DescriptorShortage.reserve();
        }
        if (reserve == null) {
            retryLater(ctx);
        }
        ctx.channel().config().setAutoRead(true);
    }
}
