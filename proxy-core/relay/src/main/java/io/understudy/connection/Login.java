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
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.Packets;
import io.understudy.wire.packet.HandshakeV10;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Channel handler of a connection until it is logged in: collects packets, passes them to the current step, enforces
 * the deadline, and is replaced by a {@link NettyServerConnection}. On the connection's event loop.
 */
final class Login extends ChannelInboundHandlerAdapter {
    private final ServerAccount account;
    private final LoginTls tls;
    private final Duration timeout;
    private final CompletableFuture<ServerConnection> result;
    private final PacketAssembler assembler = new PacketAssembler();

    private @Nullable ChannelHandlerContext context;
    private Future<?> deadline = NoTask.NONE;
    private LoginStep step = new HandshakeV10Step(this);
    private int sequence;
    private boolean over;

    /** A step that a callback computes. */
    interface Transition {
        LoginStep run() throws AuthException;
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
                                "no end of it within " + timeout.toMillis() + " ms while " + step.doing()
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
                    "while " + step.doing() + ": the peer does not speak the protocol (" + e.getMessage()
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
        proceed(() -> step.packet(packet));
    }

    /** Takes the next step; an exception ends the login. */
    void proceed(Transition transition) {
        if (over) {
            return;
        }
        try {
            step = transition.run();
        } catch (AuthException e) {
            fail("while " + step.doing() + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        fail("the server closed the connection while " + step.doing() + "; see its error log", null);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        fail("the connection broke while " + step.doing() + ": " + cause.getMessage(), cause);
    }

    ServerAccount account() {
        return account;
    }

    LoginTls tls() {
        return tls;
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
    void secure(SslHandler handler) throws AuthException {
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
    void fail(String why, @Nullable Throwable cause) {
        if (over) {
            return;
        }
        end();
        assembler.close();
        context().close();
        result.completeExceptionally(cause == null ? account.failure(why) : account.failure(why, cause));
    }

    private void end() {
        over = true;
        deadline.cancel(false);
    }
}
