package io.understudy.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.understudy.base.NoTask;
import io.understudy.connection.auth.AuthException;
import io.understudy.handshake.PacketAssembler;
import io.understudy.plugin.ServerConnection;
import io.understudy.protocol.Capabilities;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.Marker;
import io.understudy.wire.Packets;
import io.understudy.wire.packet.ErrPacket;
import io.understudy.wire.packet.HandshakeResponse41;
import io.understudy.wire.packet.HandshakeV10;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Channel handler of a connection until it is logged in: collects packets, passes them to the current step, enforces
 * the deadline, and is replaced by a {@link NettyServerConnection}. The steps are the server's HandshakeV10, the TLS
 * handshake if there is one, and the {@link Authentication}. On the connection's event loop.
 */
final class Login extends ChannelInboundHandlerAdapter {
    private final ServerAccount account;
    private final LoginTls tls;
    private final Duration timeout;
    private final CompletableFuture<ServerConnection> result;
    private final PacketAssembler assembler = new PacketAssembler();

    private @Nullable ChannelHandlerContext context;
    private Future<?> deadline = NoTask.NONE;
    private Step step = this::greeted;
    /** What the current step does, in words that fit after "while": for messages. */
    private String doing = "waiting for the server's handshake packet";

    private int sequence;
    private boolean over;

    /** Takes the payload of a packet, which it does not retain. */
    private interface Step {
        /** @throws AuthException if the login cannot continue; the message says why and what to do */
        void packet(ByteBuf payload) throws AuthException;
    }

    Login(ServerAccount account, LoginTls tls, Duration timeout, CompletableFuture<ServerConnection> result) {
        this.account = account;
        this.tls = tls;
        this.timeout = timeout;
        this.result = result;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        deadline = ctx.executor()
                .schedule(
                        () -> fail(
                                "no end of it within " + timeout.toMillis() + " ms while " + doing
                                        + "; is the server overloaded, or is it no MySQL or MariaDB server?",
                                null),
                        timeout.toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        ByteBuf bytes = (ByteBuf) msg;
        if (over) {
            bytes.release();
            return;
        }
        try {
            assembler.add(bytes);
            ByteBuf packet;
            while (!over && (packet = assembler.next()) != null) {
                ByteBuf whole = packet;
                try {
                    received(whole);
                } finally {
                    whole.release();
                }
            }
        } catch (MalformedPacketException | IndexOutOfBoundsException e) {
            fail(
                    "while " + doing + ": the peer does not speak the protocol (" + e.getMessage()
                            + "); check address and port",
                    e);
        }
    }

    private void received(ByteBuf packet) {
        int number = packet.getUnsignedByte(packet.readerIndex() + Packets.HEADER - 1);
        if (number != (sequence & 0xFF)) {
            throw new MalformedPacketException("packet number " + number + " where " + (sequence & 0xFF) + " was due");
        }
        sequence++;
        packet.skipBytes(Packets.HEADER);
        try {
            step.packet(packet);
        } catch (AuthException e) {
            fail("while " + doing + ": " + e.getMessage(), e);
        }
    }

    static int first(ByteBuf payload) {
        return payload.isReadable() ? payload.getUnsignedByte(payload.readerIndex()) : -1;
    }

    /** Returns what an ERR packet says, with the remedy. */
    String refusal(ByteBuf payload) {
        return account.refusal(ErrPacket.parse(payload, payload.readerIndex(), payload.readableBytes()));
    }

    private void greeted(ByteBuf payload) throws AuthException {
        if (first(payload) == Marker.ERR) {
            throw new AuthException("the server wants no connection: " + refusal(payload));
        }
        HandshakeV10 handshakeV10 = HandshakeV10.parse(payload);
        long server = handshakeV10.capabilities();
        if ((server & ServerLogin.NEEDED) != ServerLogin.NEEDED) {
            throw new AuthException("server version " + handshakeV10.serverVersion()
                    + " speaks the protocol from before 4.1; use MySQL 5.7, MariaDB 10.4 or newer");
        }
        ServerLogin wanted = account.login();
        long agreed = server & wanted.capabilities();
        if (account.exact() && agreed != wanted.capabilities()) {
            throw new AuthException("server version " + handshakeV10.serverVersion() + " does not offer capabilities 0x"
                    + Long.toHexString(wanted.capabilities() & ~server)
                    + ", which the client uses; give both servers the same version and the same local_infile");
        }
        if (tls.use(server)) {
            startTls(handshakeV10, agreed | Capabilities.SSL);
        } else {
            authenticate(handshakeV10, agreed, false);
        }
    }

    /** Asks for TLS; no packet may arrive before the TLS handshake is complete. */
    private void startTls(HandshakeV10 handshakeV10, long agreed) throws AuthException {
        ServerLogin wanted = account.login();
        HandshakeResponse41 request =
                new HandshakeResponse41(agreed, wanted.maxPacket(), wanted.collation(), "", null, "", true);
        write(request.encode(alloc(), nextSequence(), new byte[0], Map.of()));
        SslHandler handler = tls.handler(alloc());
        secure(handler);
        doing = "agreeing on TLS";
        step = payload -> {
            throw new AuthException(
                    "the server spoke before TLS was agreed on; is something between it and the proxy?");
        };
        handler.handshakeFuture().addListener(done -> {
            if (!done.isSuccess()) {
                fail(
                        "no agreement on TLS: " + innermost(done.cause())
                                + "; check the server's certificate against tls.mode and tls.ca",
                        done.cause());
            } else if (!over) {
                try {
                    authenticate(handshakeV10, agreed, true);
                } catch (AuthException e) {
                    fail("while " + doing + ": " + e.getMessage(), e);
                }
            }
        });
    }

    private static String innermost(Throwable cause) {
        Throwable at = cause;
        while (at.getCause() != null && at.getCause() != at) {
            at = at.getCause();
        }
        return at.getMessage() == null ? at.getClass().getSimpleName() : at.getMessage();
    }

    private void authenticate(HandshakeV10 handshakeV10, long agreed, boolean encrypted) throws AuthException {
        step = Authentication.begin(this, handshakeV10, agreed, encrypted)::packet;
    }

    void doing(String what) {
        doing = what;
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        fail("the server closed the connection while " + doing + "; see its error log", null);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        fail("the connection broke while " + doing + ": " + cause.getMessage(), cause);
    }

    ServerAccount account() {
        return account;
    }

    ByteBufAllocator alloc() {
        return context().alloc();
    }

    private ChannelHandlerContext context() {
        if (context == null) {
            throw new IllegalStateException("not in a pipeline");
        }
        return context;
    }

    /** Returns the sequence number of the next packet sent, and increments it. */
    int nextSequence() {
        return sequence++ & 0xFF;
    }

    void write(ByteBuf packet) {
        context().writeAndFlush(packet, context().voidPromise());
    }

    /** Sends a packet of the authentication method. */
    void write(byte[] payload) {
        write(Packets.of(alloc(), nextSequence(), payload));
    }

    /**
     * Encrypts the connection from now on.
     *
     * @throws AuthException if the server sent more in the clear, as only an attacker does
     */
    private void secure(SslHandler handler) throws AuthException {
        ByteBuf early = assembler.drain();
        boolean clear = early.isReadable();
        early.release();
        if (clear) {
            throw new AuthException(
                    "data in the clear followed the server's handshake packet though TLS was asked for; "
                            + "is something between it and the proxy?");
        }
        context().pipeline().addFirst("tls", handler);
    }

    void succeed(HandshakeV10 handshakeV10, long agreed) {
        end();
        NettyServerConnection connection =
                new NettyServerConnection(context().channel(), account.address(), handshakeV10, agreed);
        ByteBuf rest = assembler.drain();
        context().pipeline().replace(this, "connection", connection);
        connection.received(rest);
        result.complete(connection);
    }

    /** @param why step, reason and remedy */
    private void fail(String why, @Nullable Throwable cause) {
        if (over) {
            return;
        }
        end();
        assembler.close();
        context().close();
        result.completeExceptionally(account.failure(why, cause));
    }

    private void end() {
        over = true;
        deadline.cancel(false);
    }
}
