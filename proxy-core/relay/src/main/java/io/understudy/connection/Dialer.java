package io.understudy.connection;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.understudy.config.Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Opens the proxy's connections to servers: name lookup, then connect, within one timeout. Thread-safe. */
public final class Dialer {
    private final NetworkTransport transport;
    private final BooleanSupplier refused;

    public Dialer(NetworkTransport transport) {
        this(transport, () -> false);
    }

    /** @param refused whether no socket may be made now; asked from any thread */
    public Dialer(NetworkTransport transport, BooleanSupplier refused) {
        this.transport = transport;
        this.refused = refused;
    }

    /**
     * Connects. Listeners are notified on {@code loop} whatever happens: Netty itself completes the connect future of a
     * channel that could not be created, as without a file descriptor, on another thread.
     *
     * @param bootstrap with its handler and options
     * @param loop of {@link NetworkTransport#relayGroup}
     * @param timeout for lookup and connect together
     */
    public Future<Channel> dial(Bootstrap bootstrap, EventLoop loop, Address address, Duration timeout) {
        transport.relayed(bootstrap);
        bootstrap.group(loop).channelFactory(transport.channel(address));
        Promise<Channel> dialed = loop.newPromise();
        long deadline = System.nanoTime() + timeout.toNanos();
        SocketAddress known = known(address);
        if (known != null) {
            connect(bootstrap, known, deadline, dialed);
            return dialed;
        }
        transport.names().resolve(address.host(), loop, timeout).addListener((Future<InetAddress> found) -> {
            if (found.isSuccess()) {
                connect(bootstrap, new InetSocketAddress(found.getNow(), address.port()), deadline, dialed);
            } else {
                dialed.setFailure(found.cause());
            }
        });
        return dialed;
    }

    /** Returns the address of a socket file or an IP literal, null for a host name. */
    private @Nullable SocketAddress known(Address address) {
        if (address.isUnix()) {
            return transport.unix(address);
        }
        InetAddress literal = HostNames.literal(address.host());
        return literal == null ? null : new InetSocketAddress(literal, address.port());
    }

    private void connect(Bootstrap bootstrap, SocketAddress to, long deadline, Promise<Channel> dialed) {
        if (refused.getAsBoolean()) {
            dialed.setFailure(DescriptorShortage.refusal());
            return;
        }
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        bootstrap
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) Math.max(1, Math.min(Integer.MAX_VALUE, left)))
                .connect(to)
                .addListener((ChannelFuture connected) -> {
                    if (connected.isSuccess()) {
                        dialed.setSuccess(connected.channel());
                    } else {
                        dialed.setFailure(connected.cause());
                    }
                });
    }
}
