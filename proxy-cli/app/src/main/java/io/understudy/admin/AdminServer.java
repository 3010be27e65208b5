package io.understudy.admin;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.timeout.WriteTimeoutHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.understudy.connection.DescriptorShortage;
import io.understudy.handshake.tls.ReloadableTls;
import io.understudy.relay.AcceptReserve;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The admin endpoint: HTTP/1.1 on an event loop of its own, so that it shares no thread with database traffic.
 *
 * <p>Every client of the port may read metrics, health and the plain views, which hold no SQL text and no literals:
 * bind it to an address that only operators reach. Actions and SQL text need the bearer token and are off while none is
 * configured. Browsers never send the token's header by themselves, and there are no cookies. So a forged request from
 * another page (CSRF) reaches only the plain views, and a rebound DNS name nothing, see {@link AdminHosts}.
 */
public final class AdminServer implements AutoCloseable {

    /**
     * @param request time for a whole request to arrive, counted from the connection or the last response
     * @param response time for a view or an action
     * @param connections at the same time; a further one has the longest silent one closed, or is closed itself if
     *     there is none
     * @param streams connections with an endless response at the same time
     */
    record Limits(Duration request, Duration response, int connections, int streams) {

        static final Limits DEFAULT = new Limits(Duration.ofSeconds(30), Duration.ofSeconds(15), 256, 64);
    }

    private static final int MAX_REQUEST_LINE = 4096;
    private static final int MAX_HEADERS = 8192;
    static final int MAX_BODY = 65_536;
    private static final int WRITE_SECONDS = 30;
    private static final int BORROWED_MILLIS = 500;
    private static final int STREAMS_END_MILLIS = 2_000;

    private final EventLoopGroup group;
    private final AdminWorkers workers;
    private final Channel listener;
    private final Limits limits;
    private final AdminToken token;
    private final AdminHosts hosts;
    private final AdminConnections connections;
    private final AdminStreams streams;
    private final @Nullable ReloadableTls tls;

    private AdminServer(
            InetSocketAddress address,
            @Nullable String token,
            Collection<String> names,
            @Nullable ReloadableTls tls,
            PrometheusMeterRegistry registry,
            Readiness readiness,
            AdminEndpoints endpoints,
            Limits limits)
            throws IOException {
        this.hosts = new AdminHosts(tls != null, names);
        this.limits = limits;
        this.tls = tls;
        this.connections = new AdminConnections(limits.connections());
        this.streams = new AdminStreams(limits.streams(), System::nanoTime);
        this.token = new AdminToken(token);
        group = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("admin-http", true), NioIoHandler.newFactory());
        workers = new AdminWorkers(group.next(), limits.response());
        AdminRoutes routes = new AdminRoutes(endpoints, hosts, this.token, registry, readiness, workers, streams);
        ServerBootstrap bootstrap = new ServerBootstrap().group(group).channel(NioServerSocketChannel.class);
        DescriptorShortage shortage = readiness.descriptors();
        if (shortage != null) {
            bootstrap.handler(new AcceptReserve(shortage));
        }
        ChannelFuture bound = bootstrap
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        assemble(channel, routes);
                    }
                })
                .bind(address)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            workers.close();
            group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            throw new IOException(
                    "the admin endpoint cannot listen on " + address + ": "
                            + bound.cause().getMessage() + "; free the port or change admin.address",
                    bound.cause());
        }
        listener = bound.channel();
    }

    /**
     * Starts the server. Returns when it listens.
     *
     * @param token for actions and sensitive views; null or empty turns those off
     * @param names under which it responds beside its addresses and the loopback's name
     * @param tls null: plain HTTP
     * @param registry the metrics at {@code /metrics}
     * @param readiness asked by {@code /health/ready}
     * @param endpoints the content of {@code /api}; may change later
     * @throws IOException if the address cannot be bound
     */
    public static AdminServer start(
            InetSocketAddress address,
            @Nullable String token,
            Collection<String> names,
            @Nullable ReloadableTls tls,
            PrometheusMeterRegistry registry,
            Readiness readiness,
            AdminEndpoints endpoints)
            throws IOException {
        return new AdminServer(address, token, names, tls, registry, readiness, endpoints, Limits.DEFAULT);
    }

    /** Starts the server without TLS. */
    static AdminServer start(
            InetSocketAddress address,
            @Nullable String token,
            PrometheusMeterRegistry registry,
            Readiness readiness,
            AdminEndpoints endpoints,
            Limits limits)
            throws IOException {
        return new AdminServer(address, token, List.of(), null, registry, readiness, endpoints, limits);
    }

    /** Returns the listen address, with the actual port if 0 was configured. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    /** Replaces the token for later requests; null or empty turns off everything that needs one. Thread-safe. */
    public void setToken(@Nullable String next) {
        token.replace(next);
    }

    /** Replaces the names under which it responds. Thread-safe. */
    public void setNames(Collection<String> names) {
        hosts.replace(names);
    }

    private void assemble(SocketChannel channel, AdminRoutes routes) {
        if (!connections.admit(channel)) {
            channel.close();
            return;
        }
        if (AcceptReserve.isBorrowed(channel)) {
            // Long enough for a health check to be told; then the next one's turn comes.
            channel.eventLoop().schedule(() -> channel.close(), BORROWED_MILLIS, TimeUnit.MILLISECONDS);
        }
        channel.pipeline().addLast(new WriteTimeoutHandler(WRITE_SECONDS));
        if (tls != null) {
            channel.pipeline().addLast(tls.newHandler(channel.alloc()));
        }
        channel.pipeline()
                .addLast(new HttpServerCodec(new HttpDecoderConfig()
                        .setMaxInitialLineLength(MAX_REQUEST_LINE)
                        .setMaxHeaderSize(MAX_HEADERS)))
                .addLast(new Aggregator())
                .addLast(new FlowControlHandler())
                .addLast(new AdminHandler(routes, limits.request(), connections, streams));
    }

    /** Leaves the address to another process; open connections continue. */
    public void stopListening() {
        listener.close().awaitUninterruptibly();
    }

    /** Stops listening, closes all connections and ends the threads. */
    @Override
    public void close() {
        stopListening();
        // Their last bytes are on the way, unless a reader has stopped.
        streams.awaitEnd(STREAMS_END_MILLIS);
        workers.close();
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** Adds the reason to the body when a request's body is refused. */
    private static final class Aggregator extends HttpObjectAggregator {

        Aggregator() {
            super(MAX_BODY);
        }

        @Override
        protected void handleOversizedMessage(ChannelHandlerContext context, HttpMessage oversized) {
            AdminResponse response = AdminResponse.error(
                    HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE, "a body may have up to " + MAX_BODY + " bytes");
            // The connection stays open: closing while the client still sends would reset it before it reads this. The
            // rest of the body is discarded, within the time of a request.
            context.writeAndFlush(AdminHandler.http(response, false));
        }
    }
}
