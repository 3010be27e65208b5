package io.understudy.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.understudy.session.ClientSession;
import java.io.IOException;
import javax.net.ssl.SSLException;

/** The server's channel handler: translates callbacks into calls on the session. Runs on the session's event loop. */
final class ServerHandler extends ChannelInboundHandlerAdapter {
    private final ClientSession session;
    private final ChannelLeg server;

    ServerHandler(ClientSession session, ChannelLeg server) {
        this.session = session;
        this.server = server;
    }

    /** Returns what takes the session off the channel, which has this handler, and closes it. */
    Runnable parting(Channel channel) {
        return () -> {
            channel.pipeline().remove(this);
            channel.close();
        };
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        session.fromServer((ByteBuf) msg);
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
     * Does not close the channel: after a failed write, unread bytes may say why the server has closed; after a failed
     * read the channel is closed already.
     */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        Throwable why = ClientHandler.reason(cause);
        if (ClientHandler.saysMoreThanTheClose(session, why)) {
            session.serverFailed(why);
        }
        if (cause instanceof IOException) {
            server.writeFailed();
        }
        if (!(cause instanceof IOException) || cause instanceof SSLException) {
            ctx.close();
        }
    }
}
