package io.understudy.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.Future;
import io.understudy.config.Address;
import io.understudy.config.Transport;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DialerTest {
    /**
     * Netty completes the future of a channel that could not be created on another thread; no session may run there.
     */
    @Test
    void immediateFailuresAreReportedOnTheEventLoop() throws Exception {
        NetworkTransport transport = NetworkTransport.resolve(Transport.NIO);
        EventLoopGroup group = transport.relayGroup(1, "test-dialer");
        try {
            EventLoop loop = group.next();
            ChannelInboundHandlerAdapter used = new ChannelInboundHandlerAdapter();
            new EmbeddedChannel(used).close();
            CompletableFuture<Boolean> onLoop = new CompletableFuture<>();
            // A handler that already belongs to another channel makes the new one fail before it has a loop, like
            // EMFILE.
            new Dialer(transport)
                    .dial(new Bootstrap().handler(used), loop, Address.parse("127.0.0.1:1"), Duration.ofSeconds(5))
                    .addListener(
                            (Future<Channel> dialed) -> onLoop.complete(!dialed.isSuccess() && loop.inEventLoop()));
            assertThat(onLoop.get(20, TimeUnit.SECONDS)).isTrue();
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }
}
