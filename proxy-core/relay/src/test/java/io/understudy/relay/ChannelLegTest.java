package io.understudy.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ChannelLegTest {
    private static final int STATEMENT = 16 << 20;

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

    @AfterEach
    void stop() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** The client is sending a long statement into a full buffer of the server's when the session ends. */
    @Test
    void inputIsDroppedThoughTheOtherLegsBufferChanges() throws Exception {
        CompletableFuture<Channel> accepted = new CompletableFuture<>();
        Channel listening = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.config().setAutoRead(false).setAllowHalfClosure(true);
                        accepted.complete(channel);
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
        int port = ((InetSocketAddress) listening.localAddress()).getPort();
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
            Channel channel = accepted.get(30, TimeUnit.SECONDS);
            channel.eventLoop()
                    .submit(() -> {
                        ChannelLeg leg = new ChannelLeg(channel);
                        ChannelLeg server = new ChannelLeg(new EmbeddedChannel());
                        ChannelLeg.pair(leg, server);
                        leg.setReading(false);
                        leg.closeAfterInput();
                        server.writabilityChanged();
                    })
                    .sync();
            client.getOutputStream().write(new byte[STATEMENT]);
            client.shutdownOutput();
            assertThat(client.getInputStream().read())
                    .as("an end, and no reset")
                    .isEqualTo(-1);
        }
    }
}
