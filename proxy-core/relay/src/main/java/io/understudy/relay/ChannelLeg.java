package io.understudy.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import io.understudy.wire.Leg;
import io.understudy.wire.TlsHandlerSource;
import io.understudy.wire.compress.Compressed;
import io.understudy.wire.compress.Intake;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Leg} over a channel. Back-pressure: the channel is read only while the session wants it and the other leg's
 * buffer has room.
 */
final class ChannelLeg implements Leg {
    /** A peer that reads nothing is disconnected after this time. */
    private static final int LINGER_SECONDS = 60;

    /** SOL_SOCKET and SO_RCVLOWAT of Linux. NIO does not support it and wakes up for every byte. */
    private static final ChannelOption<Integer> LEAST_READ = new IntegerUnixChannelOption("SO_RCVLOWAT", 1, 18);

    /** Opposite a compressed leg, which can fill this at little cost to its peer. */
    private static final WriteBufferWaterMark COMPRESSED_WATER_MARK = new WriteBufferWaterMark(32 * 1024, 64 * 1024);

    private static final String TLS = "tls";

    private static final String DECODER = "decompress";
    private static final String ENCODER = "compress";

    /** Another one after {@link #become}. */
    private Channel channel;

    private SocketAddress remoteAddress;
    private @Nullable SslHandler tls;
    /** Null until the session has both legs. */
    private @Nullable ChannelLeg other;

    private boolean wanted;
    private boolean otherWritable = true;
    private @Nullable Compressed compression;
    /** Compressed frames or a handshake's bytes that were read wait; reading on would only pile them up. */
    private boolean inputWaits;

    private End end = End.NONE;
    private boolean writeFailed;
    private int leastRead = 1;

    /** How the leg is being closed, once what was written has been sent. */
    private enum End {
        /** Not at all. */
        NONE,
        CLOSED,
        /** Without TLS's close_notify. */
        CUT,
        /** The peer may have sent what nobody has read: that is dropped before. */
        UNREAD,
        /** {@link DroppedInput} reads the channel, whatever the other leg's buffer. */
        DROPPING
    }

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
        // With TLS or compression the session's byte counts differ from the socket's.
        if (bytes != leastRead && tls == null && compression == null && channel.isOpen()) {
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
    public @Nullable SSLSession tlsSession() {
        return tls == null ? null : tls.engine().getSession();
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
        handler.handshakeFuture().addListener(future -> done.accept(future.cause()));
        channel.pipeline().addFirst(TLS, handler);
        boolean peerIsServer = handler.engine().getUseClientMode();
        channel.pipeline()
                .addFirst(new HandshakeTurn(
                        HandshakeTurns.ofThread(), handler.handshakeFuture(), peerIsServer, this::holdInput));
        // Fired from the head, so that the new handler receives the bytes as if they had just been read.
        if (early.isReadable()) {
            channel.pipeline().fireChannelRead(early);
        } else {
            early.release();
        }
        // The TLS handshake must be read even if the session does not want anything yet.
        channel.read();
    }

    private void holdInput(boolean on) {
        inputWaits = on;
        apply();
    }

    boolean isEncrypted() {
        return tls != null;
    }

    @Override
    public void startCompression(Compressed compressed, ByteBuf early) {
        compression = compressed;
        // The decoder may have more to hand on than a closed connection has room for at once.
        channel.closeFuture().addListener(closed -> discardWrites());
        compressed.attach(new Intake() {
            @Override
            public boolean takesMore() {
                return isTaking();
            }

            @Override
            public void holdReading(boolean on) {
                holdInput(on);
            }
        });
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
    public void afterReceived(Runnable task) {
        if (compression == null) {
            task.run();
        } else {
            compression.afterReceived(task);
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

    /** Pairs two legs: one is read only while the other's buffer has room. */
    static void pair(ChannelLeg client, ChannelLeg server) {
        client.other = server;
        server.other = client;
    }

    /** Returns the channel, to lend it to someone else while nothing is in flight. */
    Channel channel() {
        return channel;
    }

    /** Returns whether the leg is compressed. */
    boolean isCompressed() {
        return compression != null;
    }

    /**
     * Goes on over another open channel, to which nothing is to be written yet. The one in use is left alone; it must
     * not be compressed.
     */
    void become(Channel fresh) {
        channel = fresh;
        remoteAddress = fresh.remoteAddress();
        tls = fresh.pipeline().get(SslHandler.class);
        inputWaits = false;
        end = End.NONE;
        writeFailed = false;
        leastRead = 1;
        writabilityChanged();
        apply();
    }

    /** Called when this leg's buffer has filled up or has room again. */
    void writabilityChanged() {
        if (other != null) {
            other.otherWritable = channel.isWritable();
            other.apply();
        }
    }

    private void apply() {
        if (end == End.DROPPING) {
            return;
        }
        if (channel.isOpen()) {
            channel.config().setAutoRead(isTaking() && !inputWaits);
        }
        if (compression != null && isTaking()) {
            compression.resume();
        }
    }

    private boolean isTaking() {
        return wanted && otherWritable && end == End.NONE;
    }

    @Override
    public void limitPendingWrites() {
        channel.config().setWriteBufferWaterMark(COMPRESSED_WATER_MARK);
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
    public void closeWithoutNotify() {
        finish(End.CUT);
    }

    /** Closes the channel; below the TLS handler if no close_notify is to be sent. */
    private void close() {
        if (end == End.UNREAD && channel.isActive() && channel instanceof DuplexChannel duplex) {
            end = End.DROPPING;
            DroppedInput.untilClosed(duplex, tls);
            return;
        }
        ChannelHandlerContext below = end == End.CUT ? channel.pipeline().context(TLS) : null;
        if (below == null) {
            channel.close();
        } else {
            below.close();
        }
    }

    /** Drops what is written from now on. */
    void discardWrites() {
        writeFailed = true;
    }

    /**
     * Called when nothing more can be written. Bytes that the peer has sent are still read to their end, for a limited
     * time.
     */
    void writeFailed() {
        if (!writeFailed && channel.isOpen()) {
            discardWrites();
            closeLater();
        }
    }

    @Override
    public void closeAfterInput() {
        finish(channel.config().isAutoRead() ? End.CLOSED : End.UNREAD);
    }

    @Override
    public void closeAfterFlush() {
        finish(End.CLOSED);
    }

    private void finish(End how) {
        if (end != End.NONE) {
            return;
        }
        end = how;
        if (compression != null) {
            compression.sessionEnded();
        }
        if (!channel.isActive()) {
            channel.close();
            return;
        }
        apply();
        if (tls != null && !tls.handshakeFuture().isSuccess()) {
            // Queued bytes could only leave after the TLS handshake, which is not worth waiting for.
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
        // A timer left running would keep the session in memory for its whole length.
        channel.closeFuture().addListener(closed -> linger.cancel(false));
    }

    /** The address of a peer that disconnected before its address could be read. */
    private static final class UnknownAddress extends SocketAddress {
        private static final long serialVersionUID = 1L;
        private static final UnknownAddress INSTANCE = new UnknownAddress();

        @Override
        public String toString() {
            return "unknown";
        }
    }
}
