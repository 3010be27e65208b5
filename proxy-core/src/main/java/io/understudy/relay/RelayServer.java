package io.understudy.relay;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.understudy.base.Cidr;
import io.understudy.config.AcceptProxyProtocol;
import io.understudy.config.Address;
import io.understudy.connection.NetworkTransport;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;

/** The listeners, and the one place where the client's pipeline is put together. */
public final class RelayServer {
    /** An unwritable side stops reads of the other; these are the bounds of what a session may hold, bytes. */
    public static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(64 * 1024, 256 * 1024);

    private static final int BACKLOG = 1024;

    private final NetworkTransport transport;
    private final EventLoopGroup acceptors;
    private final EventLoopGroup loops;
    private final RelayContext context;
    private AcceptProxyProtocol proxyProtocol = AcceptProxyProtocol.DISABLED;
    private List<Cidr> trustedNetworks = List.of();
    private final List<Channel> listeners = new ArrayList<>();

    public RelayServer(
            NetworkTransport transport, EventLoopGroup acceptors, EventLoopGroup loops, RelayContext context) {
        this.transport = transport;
        this.acceptors = acceptors;
        this.loops = loops;
        this.context = context;
    }

    /** Has connections from some networks begin with a PROXY protocol header; to be called before {@link #bind}. */
    public void acceptProxyProtocol(AcceptProxyProtocol mode, List<Cidr> trusted) {
        proxyProtocol = mode;
        trustedNetworks = List.copyOf(trusted);
    }

    /**
     * Listens.
     *
     * @return the address bound, with the port chosen where 0 was asked for
     * @throws IOException when the address cannot be had; the message names it
     */
    public SocketAddress bind(Address address) throws IOException {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(acceptors, loops)
                .channelFactory(transport.serverChannel(address))
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        transport.tune(channel);
                        ProxyProtocolHandler.addTo(channel, proxyProtocol, trustedNetworks, context);
                        channel.pipeline().addLast("accept", new AcceptHandler(context));
                    }
                });
        transport.relayed(bootstrap);
        if (!address.isUnix()) {
            bootstrap.option(ChannelOption.SO_REUSEADDR, true);
        }
        var bound = bootstrap.bind(transport.bindAddress(address)).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    "cannot listen on " + address + ": " + bound.cause().getMessage()
                            + "; choose another listen.address or stop what holds it",
                    bound.cause());
        }
        listeners.add(bound.channel());
        return bound.channel().localAddress();
    }

    /** Stops accepting; sessions go on. */
    public void close() {
        for (Channel listener : listeners) {
            listener.close().awaitUninterruptibly();
        }
        listeners.clear();
    }
}
