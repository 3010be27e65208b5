package io.understudy.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.UnixChannelOption;
import io.netty.channel.uring.IoUring;
import io.understudy.config.Address;
import io.understudy.config.Transport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PortReuseTest {
    private static final int CLIENTS = 20;

    /** Accepts nothing, so that connections stay in its queue. */
    private static Channel listen(NetworkTransport transport, EventLoopGroup loops, int port) throws IOException {
        Channel listener = new ServerBootstrap()
                .group(loops)
                .channelFactory(transport.serverChannel(Address.parse("127.0.0.1:1")))
                .option(ChannelOption.AUTO_READ, false)
                .option(UnixChannelOption.SO_REUSEPORT, true)
                .childHandler(new ChannelInboundHandlerAdapter())
                .bind("127.0.0.1", port)
                .syncUninterruptibly()
                .channel();
        PortReuse.preferNewer(listener);
        return listener;
    }

    private static void connect(int port, List<Socket> clients) throws IOException {
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(new Socket("127.0.0.1", port));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "IO_URING"})
    void theNewerListenerGetsAllConnections(Transport kind) throws Exception {
        assumeTrue(kind == Transport.EPOLL ? Epoll.isAvailable() : IoUring.isAvailable());
        NetworkTransport transport = NetworkTransport.resolve(kind);
        EventLoopGroup loops = transport.group(1, "port-reuse");
        List<Socket> clients = new ArrayList<>();
        try {
            Channel first = listen(transport, loops, 0);
            int port = ((InetSocketAddress) first.localAddress()).getPort();
            connect(port, clients);
            assertThat(PortReuse.waiting(first)).isEqualTo(CLIENTS);

            Channel second = listen(transport, loops, port);
            connect(port, clients);
            assertThat(PortReuse.waiting(first)).isEqualTo(CLIENTS);
            assertThat(PortReuse.waiting(second)).isEqualTo(CLIENTS);

            first.close().syncUninterruptibly();
            connect(port, clients);
            assertThat(PortReuse.waiting(second)).isEqualTo(2 * CLIENTS);
            assertThat(PortReuse.waiting(first)).isZero();

            Channel third = listen(transport, loops, port);
            connect(port, clients);
            assertThat(PortReuse.waiting(third)).isEqualTo(CLIENTS);

            // A newer process that gives up leaves the older one as it was.
            third.close().syncUninterruptibly();
            connect(port, clients);
            assertThat(PortReuse.waiting(second)).isEqualTo(3 * CLIENTS);
        } finally {
            for (Socket client : clients) {
                client.close();
            }
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    @Test
    void nioCannot() {
        assertThat(PortReuse.problem(Transport.NIO))
                .contains("listen.reusePort")
                .contains("nio");
        assertThat(PortReuse.problem(Transport.EPOLL)).isNull();
    }
}
