package io.understudy;

import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.EventLoopGroup;
import io.understudy.backend.BackendConnector;
import io.understudy.backend.NetworkTransport;
import io.understudy.config.Address;
import io.understudy.config.LoadedConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.handshake.tls.TlsFilesException;
import io.understudy.host.PluginHost;
import io.understudy.metrics.CoreMetrics;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.relay.RelayContext;
import io.understudy.relay.RelayServer;
import io.understudy.session.ClientSession;
import io.understudy.session.SessionEnvironment;
import io.understudy.session.SessionRegistry;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.wire.CommandCode;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Assembles the proxy and carries it through its life: start, reload, drain, stop. By one thread at a time. */
public final class ProxyServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ProxyServer.class);
    private static final long DRAIN_POLL_MILLIS = 50;

    private final LoadedConfig loaded;
    private final CoreMetrics metrics;
    private final SessionRegistry registry;
    private final SessionEnvironment environment;
    private final LegSetup legs;
    private final NetworkTransport transport;
    private final EventLoopGroup acceptors;
    private final EventLoopGroup loops;
    private final RelayContext relay;
    private final RelayServer server;
    private final List<SocketAddress> addresses = new ArrayList<>();

    /** @throws IllegalStateException when the configured transport is not to be had */
    public ProxyServer(LoadedConfig loaded, MeterRegistry meters) {
        this.loaded = loaded;
        UnderstudyConfig config = loaded.config();
        metrics = new CoreMetrics(meters, new LatencyHistograms(), CommandCode::name);
        registry = new SessionRegistry(config.listen().maxConnections());
        metrics.sessions(registry::count);
        environment = new SessionEnvironment(new PluginHost(metrics), metrics, new SqlAnalyzer(), (int)
                config.limits().statementBytes().bytes());
        legs = new LegSetup(config);
        environment.setLoginPolicy(legs.policy());
        transport = NetworkTransport.resolve(config.transport());
        acceptors = transport.group(1, "accept");
        loops = transport.group(Runtime.getRuntime().availableProcessors(), "relay");
        BackendConnector connector = new BackendConnector(
                transport, config.primary().address(), config.primary().connectTimeout(), RelayServer.WATER_MARK);
        relay = new RelayContext(
                registry,
                environment,
                connector,
                config.limits().handshakeTimeout().toMillis());
        server = new RelayServer(transport, acceptors, loops, relay);
    }

    /** @throws IOException when an address cannot be listened on */
    public void start() throws IOException {
        for (Address address : loaded.config().listen().address()) {
            addresses.add(server.bind(address));
        }
        log.info(
                "listening on {} for primary {} ({})",
                addresses,
                loaded.config().primary().address(),
                transport.kind());
    }

    public List<SocketAddress> addresses() {
        return List.copyOf(addresses);
    }

    public SessionRegistry registry() {
        return registry;
    }

    /**
     * Reads certificates and keys again; sessions that stand keep theirs.
     *
     * @param next names the files, and is otherwise like the running configuration
     * @throws TlsFilesException when a file cannot be used; those in use stay in use
     */
    public void reloadCertificates(UnderstudyConfig next) throws TlsFilesException {
        legs.reload(next);
        log.info("certificates and keys of both legs read again, for new connections");
    }

    /**
     * Takes no new sessions, closes idle ones, lets the others finish their transaction for at most {@code timeout}.
     * Blocks until all are gone.
     */
    public void drain(Duration timeout) throws InterruptedException {
        registry.refuseNew();
        for (ClientSession session : registry.all()) {
            session.execute(session::drain);
        }
        long deadline = System.nanoTime() + timeout.toNanos();
        while (registry.count() > 0 && System.nanoTime() < deadline) {
            Thread.sleep(DRAIN_POLL_MILLIS);
        }
        for (ClientSession session : registry.all()) {
            session.execute(session::drainNow);
        }
    }

    @Override
    public void close() {
        server.close();
        for (ClientSession session : registry.all()) {
            session.execute(session::drainNow);
        }
        loops.shutdownGracefully(0, 2, java.util.concurrent.TimeUnit.SECONDS).awaitUninterruptibly();
        acceptors
                .shutdownGracefully(0, 2, java.util.concurrent.TimeUnit.SECONDS)
                .awaitUninterruptibly();
    }
}
