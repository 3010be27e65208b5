package io.understudy.server;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.concurrent.Future;
import io.understudy.config.Address;
import io.understudy.config.SendProxyProtocol;
import io.understudy.connection.DescriptorShortage;
import io.understudy.connection.Dialer;
import io.understudy.connection.NameLookupException;
import io.understudy.connection.NetworkTransport;
import io.understudy.wire.packet.ErrPacket;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Opens a session's connection to the primary, on the session's own event loop. Thread-safe. */
public final class PrimaryConnector {
    /**
     * Adjacent to 1040, with an SQLSTATE class that drivers treat as a lost connection. Not 2003, the client libraries'
     * own number: libmariadb considers errors of that range forged when a server sends them, and reports "malformed
     * packet" instead.
     */
    private static final int ER_BAD_HOST_ERROR = 1042;

    private final NetworkTransport transport;
    private final Dialer dialer;
    private final PrimaryAddress address;
    private final Duration timeout;
    private final WriteBufferWaterMark waterMark;
    private volatile SendProxyProtocol proxyProtocol = SendProxyProtocol.DISABLED;
    private volatile Supplier<@Nullable String> refusal = () -> null;
    private volatile Runnable whenFailed = () -> {};
    private volatile Consumer<Address> whenLoggedIn = server -> {};

    /** @param shortage while it lasts, no connection is tried */
    public PrimaryConnector(
            NetworkTransport transport,
            PrimaryAddress address,
            Duration timeout,
            WriteBufferWaterMark waterMark,
            DescriptorShortage shortage) {
        this.transport = transport;
        this.dialer = new Dialer(transport, shortage::isShort);
        this.address = address;
        this.timeout = timeout;
        this.waterMark = waterMark;
    }

    /** Returns the present primary's address, with the change that made it so. */
    public PrimaryAddress.Present present() {
        return address.present();
    }

    /** Returns whether a connection that was made to {@code to} leads to the present primary. */
    public boolean isPrimary(Address to, SocketAddress host) {
        return address.is(to, host);
    }

    /** Returns whether the primary is another server because the one at {@code server} had become silent. */
    public boolean isAbandoned(Address server) {
        return address.isAbandoned(server);
    }

    /** Sets the listener for clients' logins that succeed. It is called as {@link #whenFailed}'s. */
    public void whenLoggedIn(Consumer<Address> listener) {
        whenLoggedIn = listener;
    }

    /** To be called when a client's login at {@code server} has succeeded. */
    public void loggedIn(Address server) {
        whenLoggedIn.accept(server);
    }

    /** To be called when {@code server} has accepted a connection and does not respond. */
    public void silent(Address server) {
        if (server.equals(address.get())) {
            whenFailed.run();
        }
    }

    /** Sets how to find out why no client may be connected; null while one may. */
    public void refuseWhile(Supplier<@Nullable String> why) {
        refusal = why;
    }

    /** Returns why no client may be connected, or null. */
    public @Nullable String refused() {
        return refusal.get();
    }

    /** Sets the listener for failed connections. It is called on the session's event loop and must not wait. */
    public void whenFailed(Runnable listener) {
        whenFailed = listener;
    }

    /** Makes every connection begin with a PROXY protocol header. Must be called before the first connection. */
    public void sendProxyProtocol(SendProxyProtocol version) {
        proxyProtocol = version;
    }

    /**
     * Returns the first bytes of a new connection for a client at {@code source}, or null when no header is configured.
     */
    public @Nullable ByteBuf proxyHeader(ByteBufAllocator alloc, SocketAddress source, SocketAddress destination) {
        return proxyProtocol == SendProxyProtocol.DISABLED
                ? null
                : ProxyProtocolHeader.encode(alloc, proxyProtocol, source, destination);
    }

    /**
     * Connects. The channel has no handler yet, and is not read from until its leg says so. Listeners are notified on
     * {@code loop}, also where no socket could be made.
     */
    public Future<Channel> connect(EventLoop loop, Address to) {
        String refused = refused();
        if (refused != null) {
            return loop.newFailedFuture(new IOException(refused));
        }
        Bootstrap bootstrap = new Bootstrap()
                .option(ChannelOption.AUTO_READ, false)
                // A failed write must not close a channel with unread bytes: they may say why the server has closed.
                .option(ChannelOption.AUTO_CLOSE, false)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, waterMark)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        transport.tune(channel);
                    }
                });
        return dialer.dial(bootstrap, loop, to, timeout);
    }

    /**
     * Notifies the listener and returns the failure in protocol terms. To be called once for each {@link #connect} that
     * failed.
     */
    public ErrPacket failed(Address to, Throwable cause) {
        whenFailed.run();
        String why;
        if (cause instanceof NameLookupException) {
            why = cause.getMessage();
        } else if (cause instanceof ConnectTimeoutException) {
            why = "no connection within primary.connectTimeout (" + timeout.toMillis() + " ms)";
        } else if (cause instanceof ConnectException) {
            why = "connection refused or no route";
        } else {
            why = String.valueOf(cause.getMessage());
        }
        return new ErrPacket(
                ER_BAD_HOST_ERROR, "08S01", "Can't connect to MySQL server on '" + to + "' (Understudy: " + why + ")");
    }
}
