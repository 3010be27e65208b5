package io.understudy.bench;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A TCP relay that reads no protocol: what Netty itself costs, for {@code benchmarks/run}. Arguments: the port to
 * listen on, the server's port, both at the loopback address, and the number of event loops.
 */
public final class BareRelay {
    private BareRelay() {}

    public static void main(String[] arguments) throws InterruptedException {
        int port = Integer.parseInt(arguments[0]);
        InetSocketAddress server = new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[1]));
        EventLoopGroup loops =
                new MultiThreadIoEventLoopGroup(Integer.parseInt(arguments[2]), EpollIoHandler.newFactory());
        new ServerBootstrap()
                .group(loops)
                .channel(EpollServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, 1024)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.AUTO_READ, false)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel client) {
                        connect(client, server);
                    }
                })
                .bind("127.0.0.1", port)
                .sync()
                .channel()
                .closeFuture()
                .sync();
    }

    private static void connect(Channel client, InetSocketAddress server) {
        End toServer = new End();
        client.pipeline().addLast(toServer);
        End toClient = new End();
        toClient.other = client;
        new Bootstrap()
                .group(client.eventLoop())
                .channel(EpollSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(toClient)
                .connect(server)
                .addListener((io.netty.channel.ChannelFutureListener) done -> {
                    if (done.isSuccess()) {
                        toServer.other = done.channel();
                        client.config().setAutoRead(true);
                    } else {
                        client.close();
                    }
                });
    }

    /** Passes what one channel reads to the other one, which it reads on only while that takes more. */
    private static final class End extends ChannelInboundHandlerAdapter {
        private @Nullable Channel other;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object bytes) {
            Channel to = other;
            if (to != null) {
                to.write(bytes, to.voidPromise());
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            Channel to = other;
            if (to != null) {
                to.flush();
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            Channel to = other;
            if (to != null) {
                to.config().setAutoRead(ctx.channel().isWritable());
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            Channel to = other;
            if (to != null) {
                to.close();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }
}
