package io.understudy.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Has the TLS handshakes of an event loop take turns, for a limited time between two polls of the loop's sockets. A
 * step of one takes most of a millisecond, for the private key and the key exchange; without turns, thousands that
 * arrive at once keep the loop's established sessions waiting for seconds.
 *
 * <p>Handshakes stay on the event loop, since the loops share the cores already. A thread pool could take only Netty's
 * delegated tasks, which with OpenSSL do not include the work with the private key.
 *
 * <p>Lies in front of the TLS handler until the handshake is over. While it waits, it holds what has been read, at most
 * one read's bytes, and has the socket left unread.
 */
final class HandshakeTurn extends ChannelDuplexHandler {
    private final HandshakeTurns turns;
    private final Future<?> handshake;
    private final boolean peerIsServer;
    private final Consumer<Boolean> holdReading;
    private final ArrayDeque<Object> held = new ArrayDeque<>(2);
    private @Nullable ChannelHandlerContext context;
    private boolean hadOne;
    private boolean readWanted;
    private boolean going;

    /**
     * @param peerIsServer whether what the peer sent before it closed is still read: it may say why
     * @param holdReading leaves the socket unread while its argument is true
     */
    HandshakeTurn(HandshakeTurns turns, Future<?> handshake, boolean peerIsServer, Consumer<Boolean> holdReading) {
        this.turns = turns;
        this.handshake = handshake;
        this.peerIsServer = peerIsServer;
        this.holdReading = holdReading;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        handshake.addListener(over -> removeUnlessGoing());
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        context = null;
        drop();
    }

    /** Drops what a client has sent: nobody is left to respond to, and thousands may leave at once. */
    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (peerIsServer) {
            handOn(ctx);
        } else {
            drop();
        }
        ctx.fireChannelInactive();
    }

    private void drop() {
        held.forEach(ReferenceCountUtil::release);
        held.clear();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        if (!held.isEmpty()) {
            held.add(msg);
            return;
        }
        if (turns.take(ctx.executor())) {
            hadOne = true;
            try {
                ctx.fireChannelRead(msg);
            } finally {
                turns.done();
            }
            return;
        }
        held.add(msg);
        turns.enqueue(this, hadOne);
        holdReading.accept(true);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (held.isEmpty()) {
            ctx.fireChannelReadComplete();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (held.isEmpty()) {
            ctx.fireUserEventTriggered(event);
        } else {
            held.add(event);
        }
    }

    @Override
    public void read(ChannelHandlerContext ctx) {
        if (held.isEmpty()) {
            ctx.read();
        } else {
            readWanted = true;
        }
    }

    boolean waits() {
        return !held.isEmpty();
    }

    /** Hands on what is held. */
    void go() {
        ChannelHandlerContext ctx = context;
        if (ctx == null) {
            return;
        }
        hadOne = true;
        handOn(ctx);
        if (ctx.isRemoved() || !ctx.channel().isOpen()) {
            return;
        }
        holdReading.accept(false);
        if (readWanted) {
            readWanted = false;
            ctx.read();
        }
        if (handshake.isDone()) {
            removeUnlessGoing();
        }
    }

    private void handOn(ChannelHandlerContext ctx) {
        if (held.isEmpty()) {
            return;
        }
        going = true;
        Object next;
        while ((next = held.poll()) != null) {
            if (next instanceof ByteBuf) {
                ctx.fireChannelRead(next);
            } else {
                ctx.fireUserEventTriggered(next);
            }
        }
        ctx.fireChannelReadComplete();
        going = false;
    }

    private void removeUnlessGoing() {
        ChannelHandlerContext ctx = context;
        if (ctx != null && !going) {
            ctx.pipeline().remove(this);
        }
    }
}
