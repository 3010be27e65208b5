package io.understudy.embedded;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * A TCP relay on 127.0.0.1 that simulates a longer and, on request, faulty network to one target. Each direction is
 * delayed by half of the round trip, without a limit on throughput. Order and half-closed connections are preserved.
 * TCP's own handshake is not delayed.
 *
 * <p>Thread-safe: a change is in force when the method returns. Bytes in transit keep their delay.
 */
public final class DelayedLink implements AutoCloseable {

    private static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(256 << 10, 1 << 20);
    private static final int CONNECT_MILLIS = 5000;

    private final InetSocketAddress target;
    private final LinkConditions conditions = new LinkConditions();
    private final Set<LinkConnection> connections = new HashSet<>();
    private final LongAdder bytesUp = new LongAdder();
    private final LongAdder bytesDown = new LongAdder();
    private final EventLoopGroup group;
    private final EventLoop loop;
    private final Channel listener;
    private long connected;

    private DelayedLink(InetSocketAddress target, Duration rtt) {
        this.target = target;
        checkDelay(rtt);
        conditions.roundTrip(rtt);
        // One thread: all state is confined to it. NIO rather than epoll, although epoll's timers are finer: with
        // epoll, half-closed connections were sometimes closed completely (in half of the test runs).
        group = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("delayed-link", true), NioIoHandler.newFactory());
        loop = group.next();
        ChannelFuture bound = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                .childHandler(new Accepted())
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            throw new EmbeddedException("cannot listen on 127.0.0.1 for the link to " + target, bound.cause());
        }
        listener = bound.channel();
    }

    /** Opens a link to {@code target} with the given round trip. */
    public static DelayedLink to(InetSocketAddress target, Duration rtt) {
        return new DelayedLink(target, rtt);
    }

    public int port() {
        return address().getPort();
    }

    /** Returns the address to connect to instead of the target. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    /** Sets the round trip for bytes that arrive from now on. */
    public void delay(Duration rtt) {
        checkDelay(rtt);
        change(() -> conditions.roundTrip(rtt));
    }

    /**
     * Stops the flow in both directions. Connections stay open and new ones are accepted, as on a network that hangs.
     */
    public void pause() {
        change(() -> conditions.paused(true));
    }

    /** Ends {@link #pause()} and {@link #refuse()}. */
    public void resume() {
        change(() -> {
            conditions.paused(false);
            conditions.refusing(false);
        });
    }

    /** Closes all connections with RST and drops the bytes in transit. New connections are still relayed. */
    public void cut() {
        onLoop(() -> Set.copyOf(connections).forEach(LinkConnection::cut));
    }

    /** Accepts new connections and closes them at once, until {@link #resume()}. Existing connections continue. */
    public void refuse() {
        change(() -> conditions.refusing(true));
    }

    /** Limits the throughput of each direction of each connection; 0 removes the limit. */
    public void throttle(long bytesPerSecond) {
        if (bytesPerSecond < 0) {
            throw new IllegalArgumentException("bytes per second: " + bytesPerSecond + " is negative; 0 is no limit");
        }
        change(() -> conditions.bytesPerSecond(bytesPerSecond));
    }

    /** Reports all bytes that leave the link from now on to {@code watch}. Replaces the previous watch. */
    public void watch(LinkWatch watch) {
        onLoop(() -> conditions.watch(watch));
    }

    /** Returns the number of currently relayed connections. */
    public int connections() {
        int[] count = new int[1];
        onLoop(() -> count[0] = connections.size());
        return count[0];
    }

    /** Returns the number of bytes relayed to the target so far. */
    public long bytesToTarget() {
        return bytesUp.sum();
    }

    /** Returns the number of bytes relayed from the target so far. */
    public long bytesFromTarget() {
        return bytesDown.sum();
    }

    /** Resets all connections and ends the link's thread. */
    @Override
    public void close() {
        if (!group.isShuttingDown()) {
            listener.close().awaitUninterruptibly();
            cut();
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    private static void checkDelay(Duration rtt) {
        if (rtt.isNegative()) {
            throw new IllegalArgumentException("round trip " + rtt + " is negative");
        }
    }

    private void change(Runnable change) {
        onLoop(() -> {
            change.run();
            Set.copyOf(connections).forEach(LinkConnection::release);
        });
    }

    private void onLoop(Runnable action) {
        if (loop.inEventLoop()) {
            action.run();
        } else {
            loop.submit(action).syncUninterruptibly();
        }
    }

    /** Stateless, so all accepted channels share it. */
    @io.netty.channel.ChannelHandler.Sharable
    private final class Accepted extends ChannelInboundHandlerAdapter {

        @Override
        public void channelActive(ChannelHandlerContext context) {
            Channel client = context.channel();
            if (conditions.refusing()) {
                client.close();
                return;
            }
            new Bootstrap()
                    .group(loop)
                    .channel(NioSocketChannel.class)
                    .option(ChannelOption.AUTO_READ, false)
                    .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                    .option(ChannelOption.TCP_NODELAY, true)
                    .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect(target)
                    .addListener((ChannelFuture attempt) -> join(client, attempt));
        }

        private void join(Channel client, ChannelFuture attempt) {
            if (!attempt.isSuccess()) {
                LinkLane.reset(client);
                return;
            }
            Channel server = attempt.channel();
            if (!client.isActive()) {
                LinkLane.reset(server);
                return;
            }
            LinkConnection connection = new LinkConnection(++connected, client, server, conditions, bytesUp, bytesDown);
            connections.add(connection);
            server.closeFuture().addListener(closed -> forgetIfClosed(connection, client));
            client.closeFuture().addListener(closed -> forgetIfClosed(connection, server));
        }

        private void forgetIfClosed(LinkConnection connection, Channel other) {
            if (!other.isOpen()) {
                connections.remove(connection);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            LinkLane.reset(context.channel());
        }
    }
}
