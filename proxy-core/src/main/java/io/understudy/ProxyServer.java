package io.understudy;

import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.understudy.config.Address;
import io.understudy.config.ConfigDiff;
import io.understudy.config.LoadedConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.connection.NetworkTransport;
import io.understudy.handshake.tls.TlsFilesException;
import io.understudy.host.HostContext;
import io.understudy.host.PluginHost;
import io.understudy.host.PluginStartException;
import io.understudy.host.Published;
import io.understudy.host.SharedInstances;
import io.understudy.metrics.CoreMetrics;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.relay.RelayContext;
import io.understudy.relay.RelayServer;
import io.understudy.server.PrimaryConnector;
import io.understudy.session.ClientSession;
import io.understudy.session.SessionEnvironment;
import io.understudy.session.SessionRegistry;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.wire.CommandCode;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Assembles the proxy and carries it through its life: start, reload, drain, stop. By one thread at a time. */
public final class ProxyServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ProxyServer.class);
    private static final long DRAIN_POLL_MILLIS = 20;
    private static final long SHUTDOWN_SECONDS = 2;

    private final Map<String, ProxyPlugin<?>> available;
    private final LatencyHistograms histograms = new LatencyHistograms();
    private final Published published = new Published();
    private final List<HostContext> contexts = new ArrayList<>();
    private final List<SocketAddress> addresses = new ArrayList<>();
    private final CoreMetrics metrics;
    private final PluginHost plugins;
    private final SessionRegistry registry;
    private final SessionEnvironment environment;
    private final LegSetup legs;
    private final NetworkTransport transport;
    private final EventLoopGroup acceptors;
    private final EventLoopGroup loops;
    private final Servers backends;
    private final RelayContext relay;
    private final RelayServer server;
    private final CountDownLatch drainEnded = new CountDownLatch(1);
    private LoadedConfig loaded;

    /**
     * @param available installed plugins by id
     * @throws IllegalStateException when the configured transport is not to be had
     */
    public ProxyServer(LoadedConfig loaded, Map<String, ProxyPlugin<?>> available, MeterRegistry meters) {
        this.loaded = loaded;
        this.available = Map.copyOf(available);
        UnderstudyConfig config = loaded.config();
        metrics = new CoreMetrics(meters, histograms, CommandCode::name);
        plugins = new PluginHost(metrics);
        registry = new SessionRegistry(config.listen().maxConnections());
        metrics.sessions(registry::count);
        environment = new SessionEnvironment(
                plugins,
                metrics,
                new SqlAnalyzer(),
                config.limits().statementBytes().toInt());
        legs = new LegSetup(config);
        environment.setLoginPolicy(legs.policy());
        transport = NetworkTransport.resolve(config.transport());
        acceptors = transport.group(1, "accept");
        loops = transport.relayGroup(Runtime.getRuntime().availableProcessors(), "relay");
        backends = new Servers(config, transport, meters);
        PrimaryConnector connector = new PrimaryConnector(
                transport, config.primary().address(), config.primary().connectTimeout(), RelayServer.WATER_MARK);
        backends.tellSqlMode(environment.sqlMode()::seen);
        if (!loaded.plugins().isEmpty()) {
            backends.tellLimitedAccounts(environment.limitedAccounts()::tell);
        }
        connector.whenFailed(backends::suspectPrimary);
        relay = new RelayContext(
                registry,
                environment,
                connector,
                config.limits().handshakeTimeout().toMillis());
        connector.sendProxyProtocol(config.primary().proxyProtocol());
        server = new RelayServer(transport, acceptors, loops, relay);
        server.acceptProxyProtocol(
                config.listen().proxyProtocol(), config.listen().trustedNetworks());
    }

    /**
     * Starts plugins and listens.
     *
     * @throws PluginStartException when a configured plugin cannot work
     * @throws IOException when an address cannot be listened on
     */
    public void start() throws PluginStartException, IOException {
        backends.start();
        HostContext.Shared shared = new HostContext.Shared(
                metrics.registry(),
                histograms,
                Clock.systemUTC(),
                backends.primary(),
                backends.standbys(),
                published,
                new SharedInstances());
        plugins.start(available, loaded.plugins(), id -> {
            HostContext context = new HostContext(id, shared);
            contexts.add(context);
            return context;
        });
        for (Address address : loaded.config().listen().address()) {
            addresses.add(server.bind(address));
        }
        log.info(
                "listening on {} for primary {} ({})",
                addresses,
                loaded.config().primary().address(),
                transport.kind());
    }

    /** Where clients connect, with the ports chosen where 0 was asked for. */
    public List<SocketAddress> addresses() {
        return List.copyOf(addresses);
    }

    public SessionRegistry registry() {
        return registry;
    }

    public LatencyHistograms histograms() {
        return histograms;
    }

    /** What plugins show and let an operator do. */
    public Published published() {
        return published;
    }

    /** Why no new connections should come, one sentence each; empty when they may. Any thread, never waits. */
    public List<String> notReady() {
        if (registry.draining()) {
            return List.of("draining");
        }
        String problem = backends.primaryProblem();
        return problem == null ? List.of() : List.of("primary: " + problem);
    }

    /** For {@code /api/sessions}. */
    public Object sessionsView() {
        return SessionsView.of(registry);
    }

    /** For {@code /api/standbys}. */
    public Object standbysView() {
        return backends.view();
    }

    /**
     * Applies a whole new configuration, as far as it can change while running.
     *
     * @return what takes effect after a restart only, or was refused by a plugin; one sentence each
     */
    public List<String> reload(LoadedConfig next) {
        List<String> left = new ArrayList<>();
        ConfigDiff diff = ConfigDiff.between(loaded, next);
        diff.afterRestart().forEach(change -> left.add(change.sentence()));
        if (diff.touches("primary.tls.ca")
                || diff.touches("primary.tls.certificate")
                || diff.touches("primary.tls.key")) {
            left.add("primary.tls names other files: new sessions use them now, the proxy's own connections (monitor,"
                    + " binary log) after a restart");
        }
        registry.setLimit(next.config().listen().maxConnections());
        environment.setStatementLimit(next.config().limits().statementBytes().toInt());
        relay.setHandshakeTimeoutMillis(
                next.config().limits().handshakeTimeout().toMillis());
        try {
            legs.reload(next.config());
        } catch (TlsFilesException e) {
            left.add(e.getMessage() + "; the certificates in use stay in use");
        }
        left.addAll(plugins.reload(next.plugins()));
        loaded = next;
        return left;
    }

    /**
     * Takes no new sessions, closes idle ones, lets the others finish their transaction for at most {@code timeout}.
     * Blocks until all are gone, or {@link #endDrain} has been called.
     */
    public void drain(Duration timeout) throws InterruptedException {
        registry.refuseNew();
        for (ClientSession session : registry.all()) {
            session.execute(session::drain);
        }
        long deadline = System.nanoTime() + timeout.toNanos();
        boolean ended = false;
        while (registry.count() > 0 && System.nanoTime() < deadline && !ended) {
            ended = drainEnded.await(DRAIN_POLL_MILLIS, TimeUnit.MILLISECONDS);
        }
        if (registry.count() > 0) {
            log.warn(
                    "{} sessions were still busy {} and are closed",
                    registry.count(),
                    ended ? "when the drain was ended" : "after limits.drainTimeout");
        }
        closeSessions();
    }

    /** Lets a {@link #drain} under way, or one to come, wait no longer for sessions. Any thread. */
    public void endDrain() {
        drainEnded.countDown();
    }

    /**
     * A loop that is shut down with a receive still under way in the kernel leaves that socket open (seen with io_uring and a
     * receive of many shots), and the peer without a word.
     */
    private void awaitChannelsClosed() {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SHUTDOWN_SECONDS);
        try {
            for (EventExecutor loop : loops) {
                SingleThreadEventLoop channels = (SingleThreadEventLoop) loop;
                while (channels.submit(channels::registeredChannels).get() > 0 && System.nanoTime() < deadline) {
                    Thread.sleep(DRAIN_POLL_MILLIS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private void closeSessions() {
        for (ClientSession session : registry.all()) {
            session.execute(session::drainNow);
        }
    }

    @Override
    public void close() {
        server.close();
        registry.refuseNew();
        closeSessions();
        awaitChannelsClosed();
        // Plugins are told of all that sessions do, so they stay until these are gone.
        plugins.stop();
        loops.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
        acceptors.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
        contexts.forEach(HostContext::close);
        backends.close();
    }
}
