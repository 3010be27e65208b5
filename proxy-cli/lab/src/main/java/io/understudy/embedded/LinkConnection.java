package io.understudy.embedded;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.util.concurrent.atomic.LongAdder;

/** One relayed connection: two channels and a lane for each direction. Confined to the link's event loop. */
final class LinkConnection {

    private final Channel client;
    private final Channel server;
    private final LinkLane up;
    private final LinkLane down;

    LinkConnection(
            long number,
            Channel client,
            Channel server,
            LinkConditions conditions,
            LongAdder bytesUp,
            LongAdder bytesDown) {
        this.client = client;
        this.server = server;
        this.up = new LinkLane(
                client,
                server,
                conditions,
                bytesUp,
                (bytes, arrived) -> conditions.watch().passed(number, true, bytes, arrived, System.nanoTime()));
        this.down = new LinkLane(
                server,
                client,
                conditions,
                bytesDown,
                (bytes, arrived) -> conditions.watch().passed(number, false, bytes, arrived, System.nanoTime()));
        up.onEnd(this::closeIfBothEnded);
        down.onEnd(this::closeIfBothEnded);
        client.pipeline().addLast(new End(up, down));
        server.pipeline().addLast(new End(down, up));
        client.config().setAutoRead(true);
        server.config().setAutoRead(true);
    }

    void release() {
        up.release();
        down.release();
    }

    void cut() {
        up.abandon();
        down.abandon();
        LinkLane.reset(client);
        LinkLane.reset(server);
    }

    private void closeIfBothEnded() {
        if (up.hasEnded() && down.hasEnded()) {
            up.abandon();
            down.abandon();
            client.close();
            server.close();
        }
    }

    private static final class End extends ChannelInboundHandlerAdapter {

        private final LinkLane outOfHere;
        private final LinkLane intoHere;

        End(LinkLane outOfHere, LinkLane intoHere) {
            this.outOfHere = outOfHere;
            this.intoHere = intoHere;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            outOfHere.bytes((ByteBuf) message);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof ChannelInputShutdownEvent) {
                outOfHere.endOfStream();
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            intoHere.release();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            intoHere.abandon();
            outOfHere.sourceGone();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // The peer reset the connection; channelInactive passes the reset on.
            outOfHere.sourceBroke();
            LinkLane.reset(context.channel());
        }
    }
}
