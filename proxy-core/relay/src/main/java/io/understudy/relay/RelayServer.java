package io.understudy.relay;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.unix.UnixChannelOption;
import io.understudy.base.Cidr;
import io.understudy.config.AcceptProxyProtocol;
import io.understudy.config.Address;
import io.understudy.config.Transport;
import io.understudy.connection.NetworkTransport;
import io.understudy.connection.PortReuse;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners. Assembles the client's pipeline. */
public final class RelayServer {
    private static final Logger log = LoggerFactory.getLogger(RelayServer.class);

    /**
     * Write buffer limits in bytes. An unwritable leg stops reads of the other, so they bound the memory of a session.
     */
    public static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(64 * 1024, 256 * 1024);

    private static final int BACKLOG = 1024;

    private final NetworkTransport transport;
    private final EventLoopGroup acceptors;
    private final EventLoopGroup loops;
    private final RelayContext context;
    private AcceptProxyProtocol proxyProtocol = AcceptProxyProtocol.DISABLED;
    private List<Cidr> trustedNetworks = List.of();
    private boolean reusePort;
    private volatile long lastAcceptedNanos = System.nanoTime();
    private final List<Channel> listeners = new ArrayList<>();

    /** Creates a server without listeners: acceptors accept, and each connection gets one of the loops. */
    public RelayServer(
            NetworkTransport transport, EventLoopGroup acceptors, EventLoopGroup loops, RelayContext context) {
        this.transport = transport;
        this.acceptors = acceptors;
        this.loops = loops;
        this.context = context;
    }

    /** Makes connections from some networks begin with a PROXY protocol header. Must be called before {@link #bind}. */
    public void acceptProxyProtocol(AcceptProxyProtocol mode, List<Cidr> trusted) {
        proxyProtocol = mode;
        trustedNetworks = List.copyOf(trusted);
    }

    /** Lets another process listen on the same ports. Must be called before {@link #bind}. */
    public void reusePort() {
        reusePort = true;
    }

    /**
     * Listens on an address.
     *
     * @return the bound address, with the chosen port if 0 was requested
     * @throws IOException when the address cannot be bound; the message names it
     */
    public SocketAddress bind(Address address) throws IOException {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(acceptors, loops)
                .channelFactory(transport.serverChannel(address))
                .handler(new AcceptReserve(context.shortage()))
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        lastAcceptedNanos = System.nanoTime();
                        if (!AcceptReserve.isBorrowed(channel)) { // which is refused, whoever it comes from
                            transport.tune(channel);
                            ProxyProtocolHandler.addTo(channel, proxyProtocol, trustedNetworks, context.environment());
                        }
                        channel.pipeline().addLast("accept", new AcceptHandler(context));
                    }
                });
        transport.relayed(bootstrap);
        transport.tuneListener(bootstrap, address);
        // NIO's socket files do not have it: Netty would warn of it for every client.
        if (transport.kind() != Transport.NIO || !address.isUnix()) {
            bootstrap.childOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        }
        if (!address.isUnix()) {
            bootstrap.option(ChannelOption.SO_REUSEADDR, true);
        }
        if (reusePort) {
            bootstrap.option(UnixChannelOption.SO_REUSEPORT, true);
        }
        if (address.isUnix()) {
            SocketFile.clear(address);
        }
        var bound = bootstrap.bind(transport.bindAddress(address)).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    "cannot listen on " + address + ": " + bound.cause().getMessage()
                            + "; choose another listen.address or stop what holds it",
                    bound.cause());
        }
        listeners.add(bound.channel());
        if (address.isUnix()) {
            SocketFile.open(address);
        }
        if (reusePort) {
            takeOver(bound.channel());
        }
        return bound.channel().localAddress();
    }

    private static void takeOver(Channel listener) {
        try {
            PortReuse.preferNewer(listener);
        } catch (IOException e) {
            log.warn(
                    "the kernel refuses the filter that gives new connections at {} to the newer process ({}): while"
                            + " two processes listen there both get some, and those that wait to be accepted by the"
                            + " older one when it stops are reset",
                    listener.localAddress(),
                    e.getMessage());
        }
    }

    /** Gives new connections back to the process that listened before, if there is one. Only with reusePort. */
    public void yieldPorts() {
        for (Channel listener : listeners) {
            try {
                PortReuse.preferOlder(listener);
            } catch (IOException e) {
                log.debug("no filter for {}", listener.localAddress(), e); // which was said when it began
            }
        }
    }

    /** Returns the monotonic time at which the last connection was accepted, or the server was created. */
    public long lastAcceptedNanos() {
        return lastAcceptedNanos;
    }

    /** Returns whether connections wait in the kernel to be accepted. Only with {@link #reusePort}. */
    public boolean connectionsWait() {
        return listeners.stream().anyMatch(listener -> PortReuse.waiting(listener) > 0);
    }

    /** Stops accepting connections; sessions continue. */
    public void close() {
        for (Channel listener : listeners) {
            listener.close().awaitUninterruptibly();
        }
        listeners.clear();
    }
}
