package io.understudy.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.concurrent.Future;
import io.understudy.config.Address;
import io.understudy.connection.DescriptorShortage;
import io.understudy.server.PrimaryAddress;
import io.understudy.session.ClientSession;
import io.understudy.session.SessionEnvironment;
import io.understudy.wire.packet.ErrPacket;
import java.util.concurrent.TimeUnit;

/**
 * Handles a client's connection until it is admitted: creates the session, replaces itself with the session's
 * {@link ClientHandler}, and connects to the primary. For a client that is not admitted it stays in the pipeline until
 * the connection is closed.
 */
final class AcceptHandler extends ChannelInboundHandlerAdapter {
    private static final int ER_CON_COUNT = 1040;
    private static final int ER_SERVER_SHUTDOWN = 1053;

    private final RelayContext context;

    AcceptHandler(RelayContext context) {
        this.context = context;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        ChannelLeg client = new ChannelLeg(ctx.channel());
        if (AcceptReserve.isBorrowed(ctx.channel())) {
            refuse(
                    client,
                    "refused_no_descriptors",
                    ER_CON_COUNT,
                    "08004",
                    "Too many connections (Understudy: out of file descriptors; raise its ulimit -n)");
            return;
        }
        switch (context.registry().admit()) {
            case ADMITTED -> open(ctx, client);
            case TOO_MANY ->
                refuse(
                        client,
                        "refused_max_connections",
                        ER_CON_COUNT,
                        "08004",
                        "Too many connections (Understudy: listen.maxConnections)");
            case DRAINING ->
                refuse(
                        client,
                        "refused_draining",
                        ER_SERVER_SHUTDOWN,
                        "08S01",
                        "Server shutdown in progress (Understudy is draining)");
        }
    }

    private void refuse(ChannelLeg client, String outcome, int code, String sqlState, String message) {
        context.environment().metrics().connection(outcome);
        client.write(new ErrPacket(code, sqlState, message).encode(client.alloc(), 0, true));
        client.closeAfterFlush();
    }

    private void open(ChannelHandlerContext ctx, ChannelLeg client) {
        SessionEnvironment environment = context.environment();
        ClientSession session = context.open(client);
        EventLoop loop = ctx.channel().eventLoop();
        ctx.pipeline().replace(this, ClientHandler.NAME, new ClientHandler(session, client));
        session.connectBy(() -> {
            session.limitLogin(loop.schedule(
                    session::handshakeTimedOut, environment.handshakeTimeoutMillis(), TimeUnit.MILLISECONDS));
            session.waitsUntil(environment.hold().afterRelease(loop, () -> connect(loop, session, client)));
        });
    }

    /**
     * Connects to the present primary. If another one takes its place meanwhile, under another address or the same
     * name, connects to that one.
     */
    private void connect(EventLoop loop, ClientSession session, ChannelLeg client) {
        if (session.ended()) {
            return; // while it waited
        }
        if (context.environment().absentPrimary().absent() && session.awaitPrimary()) {
            return;
        }
        PrimaryAddress.Present present = context.connector().present();
        Address primary = present.address();
        context.connector().connect(loop, primary).addListener((Future<Channel> connected) -> {
            boolean changed = !present.equals(context.connector().present());
            if (!session.ended() && changed && !leadsToPrimary(connected, primary)) {
                if (connected.isSuccess()) {
                    connected.getNow().close();
                }
                connect(loop, session, client);
            } else if (connected.isSuccess()) {
                serverConnected(connected.getNow(), primary, session, client);
            } else if (DescriptorShortage.is(connected.cause())) {
                context.shortage().happened();
                session.outOfDescriptors();
            } else {
                ErrPacket failure = context.connector().failed(primary, connected.cause());
                if (session.ended() || !session.awaitPrimary()) {
                    session.serverFailed(failure.code(), failure.sqlState(), failure.message());
                }
            }
        });
    }

    private boolean leadsToPrimary(Future<Channel> connected, Address primary) {
        return connected.isSuccess()
                && context.connector().isPrimary(primary, connected.getNow().remoteAddress());
    }

    private void serverConnected(Channel channel, Address primary, ClientSession session, ChannelLeg client) {
        ByteBuf header =
                context.connector().proxyHeader(channel.alloc(), client.remoteAddress(), client.localAddress());
        if (header != null) {
            channel.writeAndFlush(header, channel.voidPromise());
        }
        ChannelLeg server = new ChannelLeg(channel);
        ChannelLeg.pair(client, server);
        ServerHandler handler = new ServerHandler(session, server);
        channel.pipeline().addLast(ClientHandler.NAME, handler);
        session.movedBy(new ServerChange(context, session, client, server, primary));
        session.serverConnected(
                server,
                new ConnectedPrimary(context.connector(), primary, channel.remoteAddress()),
                handler.parting(channel));
        if (!channel.isActive()) {
            session.serverClosed(); // the channel closed before the handler was there to report it
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        ((ByteBuf) msg).release();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
        if (event instanceof ChannelInputShutdownEvent) {
            ctx.close();
        }
        super.userEventTriggered(ctx, event);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
