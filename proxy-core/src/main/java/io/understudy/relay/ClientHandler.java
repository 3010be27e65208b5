package io.understudy.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.util.concurrent.Future;
import io.understudy.server.ConnectFailure;
import io.understudy.session.ClientSession;
import io.understudy.wire.MalformedPacketException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The client's end: translates channel callbacks into calls on the session. */
final class ClientHandler extends ChannelInboundHandlerAdapter {
    static final String NAME = "session";

    private final RelayContext context;
    private @Nullable ClientSession session;
    private @Nullable ChannelLeg client;
    private @Nullable ChannelLeg backend;
    private @Nullable Future<?> handshakeTimer;
    /** The client has said by close_notify that it sends nothing more. */
    private boolean farewell;

    ClientHandler(RelayContext context) {
        this.context = context;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        ChannelLeg leg = new ChannelLeg(ctx.channel());
        if (!context.admission().admit(leg)) {
            return;
        }
        ClientSession opened = context.open(leg);
        client = leg;
        session = opened;
        handshakeTimer = ctx.executor()
                .schedule(opened::handshakeTimedOut, context.handshakeTimeoutMillis(), TimeUnit.MILLISECONDS);
        context.connector()
                .connect(ctx.channel().eventLoop(), new ServerHandler(this))
                .addListener((io.netty.channel.ChannelFuture connected) -> {
                    if (connected.isSuccess()) {
                        serverConnected(connected.channel(), opened, leg);
                    } else {
                        ConnectFailure failure = context.connector().failed(connected.cause());
                        opened.serverFailed(failure.code(), failure.sqlState(), failure.message());
                    }
                });
    }

    private void serverConnected(Channel channel, ClientSession opened, ChannelLeg leg) {
        ByteBuf header = context.connector().proxyHeader(channel.alloc(), leg.remoteAddress(), leg.localAddress());
        if (header != null) {
            channel.writeAndFlush(header, channel.voidPromise());
        }
        ChannelLeg other = new ChannelLeg(channel);
        backend = other;
        opened.serverConnected(other);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        ClientSession current = session;
        if (current == null) {
            ((ByteBuf) msg).release();
            return;
        }
        current.fromClient((ByteBuf) msg);
        stopTimerOnceLoggedIn(current);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        ClientSession current = session;
        if (current != null) {
            current.clientReadComplete();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        ChannelLeg other = backend;
        if (other != null) {
            other.setOtherWritable(ctx.channel().isWritable());
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        ClientSession current = session;
        if (current != null) {
            current.clientClosed(farewell);
        }
        stopTimer();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ClientSession current = session;
        if (current != null && cause.getCause() instanceof MalformedPacketException malformed) {
            current.clientMalformed(malformed);
            return;
        }
        // A reset connection or a failed write: the close that follows is what the session needs to know.
        ctx.close();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
        if (event instanceof SslCloseCompletionEvent closed && closed.isSuccess()) {
            farewell = true;
        }
        if (event instanceof ChannelInputShutdownEvent) {
            ClientSession current = session;
            ChannelLeg leg = client;
            if (current != null && leg != null && !leg.isEncrypted()) {
                current.clientShutOutput();
            } else {
                // Nobody to tell, or TLS, whose own farewell ends both directions.
                ctx.close();
            }
        }
        super.userEventTriggered(ctx, event);
    }

    void serverFailed(Throwable cause) {
        ClientSession current = session;
        if (current != null && cause.getCause() instanceof MalformedPacketException malformed) {
            current.serverMalformed(malformed);
        }
        ChannelLeg leg = backend;
        if (leg != null && cause instanceof IOException) {
            leg.writeFailed();
        }
    }

    void fromServer(ByteBuf bytes) {
        ClientSession current = session;
        if (current == null) {
            bytes.release();
            return;
        }
        current.fromServer(bytes);
        stopTimerOnceLoggedIn(current);
    }

    void serverReadComplete() {
        ClientSession current = session;
        if (current != null) {
            current.serverReadComplete();
        }
    }

    void serverWritabilityChanged(boolean writable) {
        ChannelLeg leg = client;
        if (leg != null) {
            leg.setOtherWritable(writable);
        }
    }

    void serverClosed() {
        ClientSession current = session;
        if (current != null) {
            current.serverClosed();
        }
    }

    private void stopTimerOnceLoggedIn(ClientSession current) {
        if (handshakeTimer != null && current.loggedIn()) {
            stopTimer();
        }
    }

    private void stopTimer() {
        Future<?> timer = handshakeTimer;
        handshakeTimer = null;
        if (timer != null) {
            timer.cancel(false);
        }
    }
}
