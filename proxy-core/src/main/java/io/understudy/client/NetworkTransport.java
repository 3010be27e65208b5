package io.understudy.client;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringChannelOption;
import io.netty.channel.uring.IoUringDomainSocketChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerDomainSocketChannel;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.understudy.config.Address;
import io.understudy.config.Transport;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;

/** Which of the kernel's interfaces moves the bytes: the one place that knows channel classes. Any thread. */
public final class NetworkTransport {
    /** Half-open peers are found within about two minutes: idle 60 s, then 4 probes 15 s apart. */
    private static final int KEEPALIVE_IDLE_SECONDS = 60;

    private static final int KEEPALIVE_INTERVAL_SECONDS = 15;
    private static final int KEEPALIVE_PROBES = 4;

    private static final String POLL_MULTISHOT = "io.netty.iouring.pollAddMultishotEnabled";

    static {
        // Netty 4.2.16 loses events of a multishot poll when reading is switched off and on, as back-pressure does it:
        // a
        // connection that was reset then stays open for ever (netty issue 17049; RawProtocolTest and FailureTest hold
        // it).
        // Netty reads this when it first looks for io_uring, which is here.
        if (System.getProperty(POLL_MULTISHOT) == null) {
            System.setProperty(POLL_MULTISHOT, "false");
        }
    }

    private final Transport kind;

    private NetworkTransport(Transport kind) {
        this.kind = kind;
    }

    /**
     * Resolves {@code auto} to what this machine has: io_uring where it can be opened, else epoll, else NIO.
     *
     * @throws IllegalStateException when a transport that was asked for by name is not to be had; the message says why
     */
    public static NetworkTransport resolve(Transport wanted) {
        return switch (wanted) {
            case AUTO ->
                new NetworkTransport(
                        IoUring.isAvailable()
                                ? Transport.IO_URING
                                : Epoll.isAvailable() ? Transport.EPOLL : Transport.NIO);
            case IO_URING -> available(wanted, IoUring.isAvailable() ? null : IoUring.unavailabilityCause());
            case EPOLL -> available(wanted, Epoll.isAvailable() ? null : Epoll.unavailabilityCause());
            case NIO -> new NetworkTransport(wanted);
        };
    }

    private static NetworkTransport available(
            Transport wanted, @org.jspecify.annotations.Nullable Throwable unavailable) {
        if (unavailable != null) {
            throw new IllegalStateException(
                    "transport: " + wanted + " is not available here (" + unavailable.getMessage()
                            + "); use transport: auto",
                    unavailable);
        }
        return new NetworkTransport(wanted);
    }

    /** Never {@code AUTO}. */
    public Transport kind() {
        return kind;
    }

    public EventLoopGroup group(int threads, String name) {
        IoHandlerFactory factory = switch (kind) {
            case IO_URING -> IoUringIoHandler.newFactory();
            case EPOLL -> EpollIoHandler.newFactory();
            default -> NioIoHandler.newFactory();
        };
        return new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(name, true), factory);
    }

    public ChannelFactory<? extends ServerChannel> serverChannel(Address address) {
        return switch (kind) {
            case IO_URING -> address.isUnix() ? IoUringServerDomainSocketChannel::new : IoUringServerSocketChannel::new;
            case EPOLL -> address.isUnix() ? EpollServerDomainSocketChannel::new : EpollServerSocketChannel::new;
            default -> address.isUnix() ? NioServerDomainSocketChannel::new : NioServerSocketChannel::new;
        };
    }

    public ChannelFactory<? extends Channel> channel(Address address) {
        return switch (kind) {
            case IO_URING -> address.isUnix() ? IoUringDomainSocketChannel::new : IoUringSocketChannel::new;
            case EPOLL -> address.isUnix() ? EpollDomainSocketChannel::new : EpollSocketChannel::new;
            default -> address.isUnix() ? NioDomainSocketChannel::new : NioSocketChannel::new;
        };
    }

    public SocketAddress bindAddress(Address address) {
        return address.isUnix() ? unix(address) : new InetSocketAddress(address.host(), address.port());
    }

    /** Host names are resolved by the channel, each time anew. */
    public SocketAddress connectAddress(Address address) {
        return address.isUnix() ? unix(address) : address.toInet();
    }

    private SocketAddress unix(Address address) {
        return kind == Transport.NIO
                ? UnixDomainSocketAddress.of(address.path())
                : new DomainSocketAddress(address.path());
    }

    /** Options that every TCP connection of ours has. */
    public void tune(Channel channel) {
        if (!(channel instanceof io.netty.channel.socket.SocketChannel)) {
            return;
        }
        channel.config().setOption(ChannelOption.TCP_NODELAY, true);
        channel.config().setOption(ChannelOption.SO_KEEPALIVE, true);
        switch (kind) {
            case IO_URING -> {
                channel.config().setOption(IoUringChannelOption.TCP_KEEPIDLE, KEEPALIVE_IDLE_SECONDS);
                channel.config().setOption(IoUringChannelOption.TCP_KEEPINTVL, KEEPALIVE_INTERVAL_SECONDS);
                channel.config().setOption(IoUringChannelOption.TCP_KEEPCNT, KEEPALIVE_PROBES);
            }
            case EPOLL -> {
                channel.config().setOption(EpollChannelOption.TCP_KEEPIDLE, KEEPALIVE_IDLE_SECONDS);
                channel.config().setOption(EpollChannelOption.TCP_KEEPINTVL, KEEPALIVE_INTERVAL_SECONDS);
                channel.config().setOption(EpollChannelOption.TCP_KEEPCNT, KEEPALIVE_PROBES);
            }
            default -> {
                // NIO has the system's keepalive times.
            }
        }
    }
}
