package io.understudy.cli.run;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the state of the process to the service manager, for units of {@code Type=notify}. Does nothing unless
 * {@code NOTIFY_SOCKET} names a socket. See sd_notify(3).
 */
final class ServiceManager {
    private static final Logger log = LoggerFactory.getLogger(ServiceManager.class);
    private static final long BOUND_SECONDS = 2;

    private final @Nullable String socket;

    ServiceManager(@Nullable String socket) {
        this.socket = socket;
    }

    static ServiceManager ofEnvironment() {
        return new ServiceManager(System.getenv("NOTIFY_SOCKET"));
    }

    /** Called once the proxy listens. */
    void ready() {
        send("READY=1\nSTATUS=Serving\n");
    }

    /** Called when the drain begins. */
    void stopping() {
        send("STOPPING=1\nSTATUS=Draining\n");
    }

    /** A service manager that does not read must not keep the proxy from draining. */
    private static ChannelFuture inTime(ChannelFuture future) throws InterruptedException {
        if (!future.await(BOUND_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("it did not read for " + BOUND_SECONDS + " s");
        }
        return future.sync();
    }

    private void send(String state) {
        if (socket == null || socket.isEmpty()) {
            return;
        }
        if (!Epoll.isAvailable()) {
            log.warn(
                    "cannot tell the service manager {}: no native transport ({}); use Type=exec in the unit",
                    state.lines().findFirst().orElse(""),
                    String.valueOf(Epoll.unavailabilityCause().getMessage()));
            return;
        }
        // A leading @ stands for the abstract namespace, whose names begin with a NUL byte.
        String path = socket.startsWith("@") ? '\0' + socket.substring(1) : socket;
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        try {
            Channel channel = inTime(new Bootstrap()
                            .group(group)
                            .channel(EpollDomainDatagramChannel.class)
                            .handler(new ChannelInboundHandlerAdapter())
                            .connect(new DomainSocketAddress(path)))
                    .channel();
            inTime(channel.writeAndFlush(Unpooled.copiedBuffer(state, StandardCharsets.UTF_8)));
            inTime(channel.close());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            log.warn("cannot tell the service manager at {}: {}", socket, e.toString());
        } finally {
            group.shutdownGracefully(0, BOUND_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }
}
