package io.understudy.server;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.understudy.config.Address;
import io.understudy.config.SendProxyProtocol;
import io.understudy.connection.NetworkTransport;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Opens a session's connection to the primary, on the session's own event loop. Any thread. */
public final class PrimaryConnector {
    /**
     * A neighbour of 1040, with the class of SQLSTATE that drivers take for a lost connection. Not a client's own 2003:
     * libmariadb takes errors of that range for forged when a server sends them, and says "malformed packet" in their place.
     */
    private static final int ER_BAD_HOST_ERROR = 1042;

    private final NetworkTransport transport;
    private final Address address;
    private final Duration timeout;
    private final WriteBufferWaterMark waterMark;
    private volatile SendProxyProtocol proxyProtocol = SendProxyProtocol.DISABLED;
    private volatile Runnable whenFailed = () -> {};

    public PrimaryConnector(
            NetworkTransport transport, Address address, Duration timeout, WriteBufferWaterMark waterMark) {
        this.transport = transport;
        this.address = address;
        this.timeout = timeout;
        this.waterMark = waterMark;
    }

    public Address address() {
        return address;
    }

    /** Told of every connection that failed, on the session's event loop; must not wait. */
    public void whenFailed(Runnable listener) {
        whenFailed = listener;
    }

    /** Has every connection begin with a PROXY protocol header; to be called before the first one. */
    public void sendProxyProtocol(SendProxyProtocol version) {
        proxyProtocol = version;
    }

    /** The first bytes of a new connection, for a client at {@code source}; null when the server wants none. */
    public @Nullable ByteBuf proxyHeader(ByteBufAllocator alloc, SocketAddress source, SocketAddress destination) {
        return proxyProtocol == SendProxyProtocol.DISABLED
                ? null
                : ProxyProtocolHeader.encode(alloc, proxyProtocol, source, destination);
    }

    /** Connects. The channel has no handler yet, and is not read from until its leg says so. */
    public ChannelFuture connect(EventLoop loop) {
        Bootstrap bootstrap = new Bootstrap();
        transport.relayed(bootstrap);
        return bootstrap
                .group(loop)
                .channelFactory(transport.channel(address))
                .option(ChannelOption.AUTO_READ, false)
                // A write that fails must not close what is still to be read: why the server has closed.
                .option(ChannelOption.AUTO_CLOSE, false)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) Math.min(Integer.MAX_VALUE, timeout.toMillis()))
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, waterMark)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        transport.tune(channel);
                    }
                })
                .connect(transport.connectAddress(address));
    }

    /** To be called once for each {@link #connect} that failed: tells the listener, and what the failure is called in the protocol. */
    public ConnectFailure failed(Throwable cause) {
        whenFailed.run();
        String why;
        if (cause instanceof ConnectTimeoutException) {
            why = "no connection within primary.connectTimeout (" + timeout.toMillis() + " ms)";
        } else if (cause instanceof UnknownHostException
                || cause instanceof java.nio.channels.UnresolvedAddressException) {
            why = "the host name cannot be resolved";
        } else if (cause instanceof ConnectException) {
            why = "connection refused or no route";
        } else {
            why = String.valueOf(cause.getMessage());
        }
        return new ConnectFailure(
                ER_BAD_HOST_ERROR,
                "08S01",
                "Can't connect to MySQL server on '" + address + "' (Understudy: " + why + ")");
    }
}
