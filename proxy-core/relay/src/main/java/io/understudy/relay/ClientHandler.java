package io.understudy.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslClosedEngineException;
import io.understudy.session.ClientSession;
import io.understudy.wire.MalformedPacketException;
import java.io.IOException;
import javax.net.ssl.SSLException;

/** The client's channel handler: translates callbacks into calls on the session. */
final class ClientHandler extends ChannelInboundHandlerAdapter {
    /** Name of the last handler in both pipelines. */
    static final String NAME = "session";

    private final ClientSession session;
    private final ChannelLeg client;
    /** Whether the client has sent close_notify. */
    private boolean closeNotify;

    ClientHandler(ClientSession session, ChannelLeg client) {
        this.session = session;
        this.client = client;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        session.fromClient((ByteBuf) msg);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        session.clientReadComplete();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        client.writabilityChanged();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        session.clientClosed(closeNotify);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        Throwable why = reason(cause);
        if (saysMoreThanTheClose(session, why)) {
            session.clientFailed(why);
        }
        if (!(why instanceof MalformedPacketException)) {
            ctx.close(); // else once the ERR packet has left
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
        if (event instanceof SslCloseCompletionEvent closed && closed.isSuccess()) {
            closeNotify = true;
            client.discardWrites(); // the TLS engine writes nothing behind a close_notify received
            closedTls(ctx); // also where no FIN follows
        }
        if (event instanceof ChannelInputShutdownEvent) {
            if (!client.isEncrypted()) {
                session.clientShutOutput();
            } else if (!closeNotify) {
                closedTls(ctx);
            }
        }
        super.userEventTriggered(ctx, event);
    }

    /**
     * Ends both directions, as TLS does; commands that the client has sent ahead are executed first. The server would
     * execute none behind the first response that it cannot send.
     */
    private void closedTls(ChannelHandlerContext ctx) {
        if (session.pipelined()) {
            session.clientShutOutput();
        } else {
            ctx.close();
        }
    }

    /** Returns the cause without the decoder's wrapping. */
    static Throwable reason(Throwable cause) {
        Throwable inner = cause.getCause();
        return cause instanceof DecoderException && inner != null ? inner : cause;
    }

    /**
     * Returns false for a reset connection or a failed write, also behind the peer's close_notify: the close that
     * follows tells the session. A TLS handshake that fails tells the session itself.
     */
    static boolean saysMoreThanTheClose(ClientSession session, Throwable why) {
        return why instanceof SSLException
                ? session.loggedIn() && !(why instanceof SslClosedEngineException)
                : !(why instanceof IOException);
    }
}
