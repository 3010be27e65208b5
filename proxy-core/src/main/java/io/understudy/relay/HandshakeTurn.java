package io.understudy.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Has the TLS handshakes of an event loop take turns, one step of one handshake between two polls of the loop's
 * sockets. A step takes most of a millisecond, for the private key and the key exchange; without turns, thousands that
 * arrive at once keep the loop's established sessions waiting for seconds.
 *
 * <p>Handshakes stay on the event loop, since the loops use all cores already. A thread pool could take only Netty's
 * delegated tasks, which with OpenSSL do not include the work with the private key.
 *
 * <p>Lies in front of the TLS handler until the handshake is over. While it waits, it holds what has been read, at most
 * one read's bytes, and has the socket left unread.
 */
final class HandshakeTurn extends ChannelDuplexHandler {
    /** Leaves the socket unread while the argument is true. */
    interface HoldReading {
        void hold(boolean on);
    }

    private final Future<?> handshake;
    private final HoldReading reading;
    private final ArrayDeque<Object> held = new ArrayDeque<>(2);
    private @Nullable ChannelHandlerContext context;
    private boolean hadOne;
    private boolean readWanted;
    private boolean going;

    HandshakeTurn(Future<?> handshake, HoldReading reading) {
        this.handshake = handshake;
        this.reading = reading;
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

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        drop();
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
        HandshakeTurns turns = HandshakeTurns.ofThread();
        if (turns.take(ctx.executor())) {
            hadOne = true;
            ctx.fireChannelRead(msg);
            return;
        }
        held.add(msg);
        turns.enqueue(this, hadOne);
        reading.hold(true);
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
        if (ctx.isRemoved() || !ctx.channel().isOpen()) {
            return;
        }
        reading.hold(false);
        if (readWanted) {
            readWanted = false;
            ctx.read();
        }
        if (handshake.isDone()) {
            removeUnlessGoing();
        }
    }

    private void removeUnlessGoing() {
        ChannelHandlerContext ctx = context;
        if (ctx != null && !going) {
            ctx.pipeline().remove(this);
        }
    }
}
