package io.understudy.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.netty.handler.codec.haproxy.HAProxyProxiedProtocol;
import io.netty.util.AttributeKey;
import io.netty.util.NetUtil;
import io.netty.util.ReferenceCountUtil;
import io.understudy.base.Cidr;
import io.understudy.base.NoTask;
import io.understudy.config.AcceptProxyProtocol;
import io.understudy.session.SessionEnvironment;
import io.understudy.wire.packet.ErrPacket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the PROXY protocol's header of a connection from a trusted network. The session begins after it, when the
 * client's real address is known.
 */
final class ProxyProtocolHandler extends ChannelInboundHandlerAdapter {
    private static final Logger log = LoggerFactory.getLogger(ProxyProtocolHandler.class);
    private static final AttributeKey<SocketAddress> NAMED = AttributeKey.valueOf(ProxyProtocolHandler.class, "named");
    private static final int ER_HANDSHAKE = 1043;
    /**
     * In mode {@code auto} only silence shows that there is no header, because a MySQL client waits for the server's
     * first packet. Load balancers send their header at once. Once a header has begun, its rest is awaited as in the
     * other modes.
     */
    private static final long AUTO_WAIT_MILLIS = 250;

    private final AcceptProxyProtocol mode;
    private final SessionEnvironment environment;
    private Future<?> timer = NoTask.NONE;
    private boolean open;
    private boolean refused;
    /** Whether bytes have arrived that the decoder takes for the beginning of a header. */
    private boolean begun;
    /** Whether the time has passed after which silence means that there is no header. */
    private boolean late;

    private ProxyProtocolHandler(AcceptProxyProtocol mode, SessionEnvironment environment) {
        this.mode = mode;
        this.environment = environment;
    }

    /** Adds the handler to the end of the pipeline if the peer's network is trusted. */
    static void addTo(Channel channel, AcceptProxyProtocol mode, List<Cidr> trusted, SessionEnvironment environment) {
        if (mode != AcceptProxyProtocol.DISABLED
                && channel.remoteAddress() instanceof InetSocketAddress peer
                && trusted.stream().anyMatch(network -> network.contains(peer.getAddress()))) {
            ProxyProtocolHandler gate = new ProxyProtocolHandler(mode, environment);
            channel.pipeline().addLast("proxy-guard", gate.new CloseGuard());
            channel.pipeline().addLast("proxy-header", new HAProxyMessageDecoder());
            channel.pipeline().addLast("proxy-gate", gate);
        }
    }

    /**
     * Returns the client's address: the one in a trusted header, else the peer's; null when the peer has disconnected.
     */
    static @Nullable SocketAddress clientAddress(Channel channel) {
        SocketAddress named = channel.attr(NAMED).get();
        return named == null ? channel.remoteAddress() : named;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        long millis = mode == AcceptProxyProtocol.AUTO ? AUTO_WAIT_MILLIS : environment.handshakeTimeoutMillis();
        timer = ctx.executor().schedule(() -> silent(ctx), millis, TimeUnit.MILLISECONDS);
        ctx.read();
    }

    private void silent(ChannelHandlerContext ctx) {
        if (open || !ctx.channel().isActive()) {
            return;
        }
        if (mode != AcceptProxyProtocol.AUTO) {
            refuse(ctx, "proxy_header_missing", "no PROXY protocol header came within limits.handshakeTimeout");
        } else if (!begun) {
            ctx.pipeline().remove(HAProxyMessageDecoder.class);
            pass(ctx);
        } else if (late) {
            refuse(
                    ctx,
                    "proxy_header_malformed",
                    "the PROXY protocol header was not complete within limits.handshakeTimeout");
        } else {
            late = true;
            long rest = Math.max(0, environment.handshakeTimeoutMillis() - AUTO_WAIT_MILLIS);
            timer = ctx.executor().schedule(() -> silent(ctx), rest, TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        if (refused) {
            // The decoder continues with the remaining bytes, which may contain a valid header.
            ReferenceCountUtil.release(msg);
        } else if (msg instanceof HAProxyMessage header) {
            try {
                accept(ctx, header);
            } finally {
                header.release();
            }
        } else if (open) {
            ctx.fireChannelRead(msg);
        } else {
            ((ByteBuf) msg).release();
        }
    }

    private void accept(ChannelHandlerContext ctx, HAProxyMessage header) {
        boolean first = header.protocolVersion() == HAProxyProtocolVersion.V1;
        if (mode == AcceptProxyProtocol.V1 && !first || mode == AcceptProxyProtocol.V2 && first) {
            refuse(
                    ctx,
                    "proxy_header_version",
                    "the PROXY protocol header has another version than listen.proxyProtocol");
            return;
        }
        HAProxyProxiedProtocol family = header.proxiedProtocol();
        boolean tcp = family == HAProxyProxiedProtocol.TCP4 || family == HAProxyProxiedProtocol.TCP6;
        if (header.command() == HAProxyCommand.PROXY && tcp) {
            try {
                InetAddress address =
                        InetAddress.getByAddress(NetUtil.createByteArrayFromIpAddressString(header.sourceAddress()));
                ctx.channel().attr(NAMED).set(new InetSocketAddress(address, header.sourcePort()));
            } catch (UnknownHostException e) {
                refuse(ctx, "proxy_header_malformed", "the PROXY protocol header names no address");
                return;
            }
        }
        pass(ctx);
    }

    private void pass(ChannelHandlerContext ctx) {
        open = true;
        stopTimer();
        ctx.pipeline().remove(CloseGuard.class);
        ctx.fireChannelActive();
        ctx.pipeline().remove(this);
    }

    private void refuse(ChannelHandlerContext ctx, String outcome, String why) {
        open = true;
        refused = true;
        stopTimer();
        environment.metrics().connection(outcome);
        log.warn("connection from {} refused: {}", ctx.channel().remoteAddress(), why);
        ErrPacket error = new ErrPacket(ER_HANDSHAKE, "08S01", "Understudy: bad handshake: " + why);
        ctx.writeAndFlush(error.encode(ctx.alloc(), 0, false)).addListener(done -> ctx.close());
    }

    /**
     * Delays a close until the client has been sent the error: the decoder closes the connection before it reports what
     * is wrong with the header.
     */
    private final class CloseGuard extends ChannelDuplexHandler {
        private boolean decoding;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            decoding = true;
            begun = true;
            try {
                ctx.fireChannelRead(msg);
            } finally {
                decoding = false;
            }
        }

        @Override
        public void close(ChannelHandlerContext ctx, ChannelPromise promise) throws Exception {
            if (decoding && !open) {
                promise.trySuccess();
            } else {
                super.close(ctx, promise);
            }
        }
    }

    private void stopTimer() {
        timer.cancel(false);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (open) {
            ctx.fireChannelReadComplete();
        } else {
            ctx.read();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        stopTimer();
        if (open) {
            ctx.fireChannelInactive();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (refused) {
            return;
        }
        if (open) {
            ctx.fireExceptionCaught(cause);
        } else if (cause instanceof IOException) {
            ctx.close(); // a balancer's check may end with a reset
        } else {
            refuse(ctx, "proxy_header_malformed", "no valid PROXY protocol header: " + cause.getMessage());
        }
    }
}
