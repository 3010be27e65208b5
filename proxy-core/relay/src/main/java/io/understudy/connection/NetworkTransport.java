package io.understudy.connection;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringBufferRingConfig;
import io.netty.channel.uring.IoUringChannelOption;
import io.netty.channel.uring.IoUringDatagramChannel;
import io.netty.channel.uring.IoUringDomainSocketChannel;
import io.netty.channel.uring.IoUringFixedBufferRingAllocator;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringIoHandlerConfig;
import io.netty.channel.uring.IoUringServerDomainSocketChannel;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.understudy.config.Address;
import io.understudy.config.Transport;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.time.Duration;

/** The kernel interface for network I/O: the one place that knows channel classes. Thread-safe. */
public final class NetworkTransport {
    /** Detects half-open peers within about two minutes: idle 60 s, then 4 probes 15 s apart. */
    private static final int KEEPALIVE_IDLE_SECONDS = 60;

    private static final int KEEPALIVE_INTERVAL_SECONDS = 15;
    private static final int KEEPALIVE_PROBES = 4;

    private static final int SOL_SOCKET = 1;
    private static final int IPPROTO_TCP = 6;
    /** The same options by their numbers in Linux: Netty has none of them for listeners. */
    private static final ChannelOption<Integer> LISTENER_KEEPALIVE =
            new IntegerUnixChannelOption("LISTENER_SO_KEEPALIVE", SOL_SOCKET, 9);

    private static final ChannelOption<Integer> LISTENER_KEEPIDLE =
            new IntegerUnixChannelOption("LISTENER_TCP_KEEPIDLE", IPPROTO_TCP, 4);
    private static final ChannelOption<Integer> LISTENER_KEEPINTVL =
            new IntegerUnixChannelOption("LISTENER_TCP_KEEPINTVL", IPPROTO_TCP, 5);
    private static final ChannelOption<Integer> LISTENER_KEEPCNT =
            new IntegerUnixChannelOption("LISTENER_TCP_KEEPCNT", IPPROTO_TCP, 6);

    /**
     * The kernel stores received bytes of all relayed channels of a loop in buffers that the loop provided beforehand:
     * a read is one request instead of a poll and a receive, and an idle channel holds no buffer.
     * {@code docs/benchmarks.md} has the figures.
     *
     * <p>A loop begins with 16 buffers, 512 KiB, and adds as many whenever its sockets had used them up in one round,
     * up to 2 MiB. They take turns, so that few of them stay in the processor's cache, where many would not.
     */
    private static final short RING_BUFFERS = 64;

    private static final int RING_BATCH = 16;
    private static final int RING_BUFFER_BYTES = 32 * 1024;
    private static final short RING_GROUP = 1;
    private static final String BUFFER_RING = "io.understudy.bufferRing";

    private static final String POLL_MULTISHOT = "io.netty.iouring.pollAddMultishotEnabled";
    private static final String RECEIVE_MULTISHOT = "io.netty.iouring.recvMultiShotEnabled";

    static {
        // Netty reads these when it first looks for io_uring, which is here.
        //
        // Netty 4.2.16 loses events of a multishot poll when reading is switched off and on, as back-pressure does:
        // a connection that was reset then stays open for ever (netty issue 17049; held by RawProtocolTest and
        // FailureTest).
        off(POLL_MULTISHOT);
        // Netty begins a multishot receive that ended on a used-up ring anew even while reading is switched off. A
        // proxy slower than the server for a while, as a JVM just started is, then reads on without bound for a client
        // that takes nothing (57 MB were seen; held by SlowReaderTest).
        off(RECEIVE_MULTISHOT);
    }

    /** Sets the property unless it is already set. */
    private static void off(String property) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, "false");
        }
    }

    private final Transport kind;
    private final boolean bufferRing;
    private final HostNames names = new HostNames(this);

    private NetworkTransport(Transport kind) {
        this.kind = kind;
        // Incremental use of a buffer needs Linux 6.12; without it every small packet would occupy a whole buffer.
        bufferRing = kind == Transport.IO_URING
                && IoUring.isRegisterBufferRingIncSupported()
                && !"false".equals(System.getProperty(BUFFER_RING));
    }

    /**
     * Resolves {@code auto} to the best transport of this machine: io_uring if it can be opened, else epoll, else NIO.
     *
     * @throws IllegalStateException if a transport requested by name is unavailable; the message says why
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

    /** Returns the resolved transport, never {@code AUTO}. */
    public Transport kind() {
        return kind;
    }

    /** Creates event loops for listeners. */
    public EventLoopGroup group(int threads, String name) {
        IoHandlerFactory factory = switch (kind) {
            case IO_URING -> IoUringIoHandler.newFactory();
            case EPOLL -> EpollHandler.newFactory();
            default -> NioIoHandler.newFactory();
        };
        return new EventLoops(threads, new DefaultThreadFactory(name, true), factory);
    }

    /** Creates event loops for the relay's channels and for server connections, which {@link #relayed} prepares. */
    public EventLoopGroup relayGroup(int threads, String name) {
        if (!bufferRing) {
            return group(threads, name);
        }
        IoUringIoHandlerConfig config = new IoUringIoHandlerConfig()
                .setBufferRingConfig(IoUringBufferRingConfig.builder()
                        .bufferGroupId(RING_GROUP)
                        .bufferRingSize(RING_BUFFERS)
                        .batchSize(RING_BATCH)
                        .incremental(true)
                        // Pooled: Netty's default allocator takes fresh memory for most of these buffers, and the JDK
                        // fills it with zeros: a tenth of the CPU of a large result.
                        .allocator(
                                new IoUringFixedBufferRingAllocator(PooledByteBufAllocator.DEFAULT, RING_BUFFER_BYTES))
                        .build());
        return new EventLoops(threads, new DefaultThreadFactory(name, true), IoUringIoHandler.newFactory(config));
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

    /** Resolves the host names of all connections over this transport. */
    HostNames names() {
        return names;
    }

    /** Returns lookups of host names for threads that may wait, with the same cache as those of connections. */
    public NameLookup nameLookup() {
        return names::lookup;
    }

    /** Sets the longest time for which the address of a host name is cached. Thread-safe. */
    public void setLongestNameTtl(Duration longest) {
        names.setLongestTtl(longest);
    }

    /** Ends the thread that resolves host names, if there is one. Blocks until it has ended. */
    public void closeNames() {
        names.close();
    }

    ChannelFactory<? extends DatagramChannel> datagramChannel() {
        return switch (kind) {
            case IO_URING -> IoUringDatagramChannel::new;
            case EPOLL -> EpollDatagramChannel::new;
            default -> NioDatagramChannel::new;
        };
    }

    ChannelFactory<? extends SocketChannel> streamChannel() {
        return switch (kind) {
            case IO_URING -> IoUringSocketChannel::new;
            case EPOLL -> EpollSocketChannel::new;
            default -> NioSocketChannel::new;
        };
    }

    SocketAddress unix(Address address) {
        return kind == Transport.NIO
                ? UnixDomainSocketAddress.of(address.path())
                : new DomainSocketAddress(address.path());
    }

    /** Makes accepted channels read through the ring; their loops are those of {@link #relayGroup}. */
    public void relayed(ServerBootstrap bootstrap) {
        // Netty reads the option when a channel is registered, before a ChannelInitializer runs.
        if (bufferRing) {
            bootstrap.childOption(IoUringChannelOption.IO_URING_BUFFER_GROUP_ID, RING_GROUP);
        }
    }

    /** Makes the connected channel read through the ring; its loop is one of {@link #relayGroup}. */
    public void relayed(Bootstrap bootstrap) {
        if (bufferRing) {
            bootstrap.option(IoUringChannelOption.IO_URING_BUFFER_GROUP_ID, RING_GROUP);
        }
    }

    /**
     * Sets the options of {@link #tune} on a TCP listener: the kernel copies them to the connections that it accepts,
     * which saves four system calls for each.
     */
    public void tuneListener(ServerBootstrap bootstrap, Address address) {
        if (kind != Transport.NIO && !address.isUnix()) {
            bootstrap.option(LISTENER_KEEPALIVE, 1);
            bootstrap.option(LISTENER_KEEPIDLE, KEEPALIVE_IDLE_SECONDS);
            bootstrap.option(LISTENER_KEEPINTVL, KEEPALIVE_INTERVAL_SECONDS);
            bootstrap.option(LISTENER_KEEPCNT, KEEPALIVE_PROBES);
        }
    }

    /** Sets the options that every TCP connection of the proxy has. Netty itself sets TCP_NODELAY. */
    public void tune(Channel channel) {
        boolean inherits = kind != Transport.NIO && channel.parent() != null;
        if (inherits || !(channel instanceof SocketChannel)) {
            return;
        }
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
