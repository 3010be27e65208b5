package io.understudy.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import io.understudy.wire.Leg;
import io.understudy.wire.TlsHandlerSource;
import io.understudy.wire.compress.Compressed;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Leg} over a channel. Reading goes on only while both the session wants it and the other leg can take more: that
 * is all of the back-pressure.
 */
final class ChannelLeg implements Leg {
    /** A peer that takes nothing more is let go after this. */
    private static final int LINGER_SECONDS = 60;

    /** SOL_SOCKET and SO_RCVLOWAT of Linux. NIO does not know it, and is woken for whatever comes. */
    private static final ChannelOption<Integer> LEAST_READ = new IntegerUnixChannelOption("SO_RCVLOWAT", 1, 18);

    private static final String TLS = "tls";

    private static final String DECODER = "decompress";
    private static final String ENCODER = "compress";

    private final Channel channel;
    private SocketAddress remoteAddress;
    private @Nullable SslHandler tls;
    /** Null until the session has both. */
    private @Nullable ChannelLeg other;

    private boolean wanted;
    private boolean otherWritable = true;
    private boolean closing;
    private boolean writeFailed;
    private boolean withoutFarewell;
    private int leastRead = 1;
    /** By TLS or compression: the bytes that a session counts are not those of the socket. */
    private boolean transformed;

    ChannelLeg(Channel channel) {
        this.channel = channel;
        SocketAddress address = ProxyProtocolHandler.clientAddress(channel);
        this.remoteAddress = address == null ? UnknownAddress.INSTANCE : address;
    }

    @Override
    public ByteBufAllocator alloc() {
        return channel.alloc();
    }

    @Override
    public SocketAddress remoteAddress() {
        return remoteAddress;
    }

    SocketAddress localAddress() {
        SocketAddress own = channel.localAddress();
        return own == null ? UnknownAddress.INSTANCE : own;
    }

    @Override
    public void write(ByteBuf bytes) {
        if (writeFailed) {
            bytes.release();
        } else {
            channel.write(bytes, channel.voidPromise());
        }
    }

    @Override
    public void flush() {
        channel.flush();
    }

    @Override
    public void awaitAtLeast(int bytes) {
        if (bytes != leastRead && !transformed && channel.isOpen()) {
            leastRead = bytes;
            channel.config().setOption(LEAST_READ, bytes);
        }
    }

    @Override
    public boolean isLocal() {
        SocketAddress own = channel.localAddress();
        return own instanceof DomainSocketAddress || own instanceof UnixDomainSocketAddress;
    }

    @Override
    public void startTls(TlsHandlerSource end, ByteBuf early, Consumer<@Nullable Throwable> done) {
        SslHandler handler;
        try {
            handler = end.newHandler(channel.alloc());
        } catch (RuntimeException e) {
            early.release();
            throw e;
        }
        tls = handler;
        transformed = true;
        handler.handshakeFuture().addListener(future -> done.accept(future.cause()));
        channel.pipeline().addFirst(TLS, handler);
        // From the head, so that the new handler gets them as if they had only now been read.
        if (early.isReadable()) {
            channel.pipeline().fireChannelRead(early);
        } else {
            early.release();
        }
        // The rest of the TLS handshake has to be read although the session may not want anything yet.
        channel.read();
    }

    boolean isEncrypted() {
        return tls != null;
    }

    @Override
    public void startCompression(Compressed compressed, ByteBuf early) {
        transformed = true;
        ChannelInboundHandler decoder = compressed.decoder();
        channel.pipeline()
                .addBefore(ClientHandler.NAME, DECODER, decoder)
                .addBefore(ClientHandler.NAME, ENCODER, compressed.encoder());
        if (!early.isReadable()) {
            early.release();
            return;
        }
        try {
            decoder.channelRead(channel.pipeline().context(DECODER), early);
        } catch (Exception e) {
            channel.pipeline().context(DECODER).fireExceptionCaught(e);
        }
    }

    @Override
    public void setReading(boolean on) {
        wanted = on;
        apply();
    }

    @Override
    public void execute(Runnable task) {
        channel.eventLoop().execute(task);
    }

    /** Makes two legs each other's: one is read only while the other's buffer has room. */
    static void pair(ChannelLeg client, ChannelLeg server) {
        client.other = server;
        server.other = client;
    }

    /** Back-pressure: whether this leg's buffer has room has changed. */
    void writabilityChanged() {
        ChannelLeg reading = other;
        if (reading != null) {
            reading.otherWritable = channel.isWritable();
            reading.apply();
        }
    }

    private void apply() {
        channel.config().setAutoRead(wanted && otherWritable && !closing);
    }

    @Override
    public void shutdownOutput() {
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(flushed -> {
            if (channel instanceof DuplexChannel duplex) {
                duplex.shutdownOutput();
            }
        });
    }

    @Override
    public void closeWithoutFarewell() {
        if (!closing && tls != null) {
            withoutFarewell = true;
        }
        closeAfterFlush();
    }

    /** Closes below TLS where no close_notify is to be sent. */
    private void close() {
        ChannelHandlerContext below = withoutFarewell ? channel.pipeline().context(TLS) : null;
        if (below == null) {
            channel.close();
        } else {
            below.close();
        }
    }

    /** Nothing more can be written. What the peer has sent is read to its end, which comes soon or not at all. */
    void writeFailed() {
        if (!writeFailed && channel.isOpen()) {
            writeFailed = true;
            closeLater();
        }
    }

    @Override
    public void closeAfterFlush() {
        if (closing) {
            return;
        }
        closing = true;
        if (!channel.isActive()) {
            channel.close();
            return;
        }
        apply();
        SslHandler handler = tls;
        if (handler != null && !handler.handshakeFuture().isSuccess()) {
            // What is queued could leave only after a TLS handshake, for which there is no reason to wait.
            channel.close();
            return;
        }
        ChannelFuture flushed = channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> close());
        if (!flushed.isDone()) {
            closeLater();
        }
    }

    private void closeLater() {
        Future<?> linger = channel.eventLoop().schedule(this::close, LINGER_SECONDS, TimeUnit.SECONDS);
        // A timer left behind would keep the session in memory for its whole length.
        channel.closeFuture().addListener(closed -> linger.cancel(false));
    }

    /** A peer that was gone before its address could be asked. */
    private static final class UnknownAddress extends SocketAddress {
        private static final long serialVersionUID = 1L;
        private static final UnknownAddress INSTANCE = new UnknownAddress();

        @Override
        public String toString() {
            return "unknown";
        }
    }
}
