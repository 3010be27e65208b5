package io.understudy.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.understudy.session.ClientSession;
import io.understudy.wire.MalformedPacketException;
import java.io.IOException;
import javax.net.ssl.SSLException;

/** The server's end: translates channel callbacks into calls on the session, on whose event loop it runs too. */
final class ServerHandler extends ChannelInboundHandlerAdapter {
    private final ClientSession session;
    private final ChannelLeg server;
    private final HandshakeTimer timer;

    ServerHandler(ClientSession session, ChannelLeg server, HandshakeTimer timer) {
        this.session = session;
        this.server = server;
        this.timer = timer;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        session.fromServer((ByteBuf) msg);
        timer.stopOnceLoggedIn();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        session.serverReadComplete();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        server.writabilityChanged();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        session.serverClosed();
    }

    /**
     * A write that failed closes nothing here: the server may have said why it closed, which is read first. A read that
     * failed has closed the channel already.
     */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause.getCause() instanceof MalformedPacketException malformed) {
            session.serverMalformed(malformed);
        }
        if (cause instanceof IOException) {
            server.writeFailed();
        }
        if (!(cause instanceof IOException) || cause instanceof SSLException) {
            ctx.close();
        }
    }
}
