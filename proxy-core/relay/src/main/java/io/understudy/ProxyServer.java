package io.understudy;

import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.EventLoopGroup;
import io.understudy.base.ByteSize;
import io.understudy.base.Durations;
import io.understudy.config.Address;
import io.understudy.config.FailoverConfig;
import io.understudy.config.LoadedConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.connection.DescriptorShortage;
import io.understudy.connection.NetworkTransport;
import io.understudy.connection.PortReuse;
import io.understudy.connection.SessionConnector;
import io.understudy.handshake.LoginPolicy;
import io.understudy.host.HostContext;
import io.understudy.host.MeterOwners;
import io.understudy.host.PluginHost;
import io.understudy.host.PluginStartException;
import io.understudy.host.Published;
import io.understudy.host.SharedInstances;
import io.understudy.metrics.CoreMetrics;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.move.MovesAtOnce;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.protocol.CommandCode;
import io.understudy.relay.MoveTools;
import io.understudy.relay.RelayContext;
import io.understudy.relay.RelayServer;
import io.understudy.server.PrimaryAddress;
import io.understudy.server.PrimaryConnector;
import io.understudy.session.AbsentPrimary;
import io.understudy.session.ClientSession;
import io.understudy.session.SessionEnvironment;
import io.understudy.session.SessionRegistry;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.wire.compress.InflationBudget;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Assembles the proxy, starts, reloads, drains and stops it. Not thread-safe except where stated. */
public final class ProxyServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ProxyServer.class);
    /** How long a session's login to a new primary may take. */
    private static final Duration MOVE_LOGIN = Duration.ofSeconds(10);
    /** A server that has just become the primary has so many logins of sessions at a time. */
    private static final int MOVES_AT_ONCE = 64;

    private static final int SHUTDOWN_SECONDS = 2;
    private static final int SESSIONS_SHOWN = 1000;
    private static final String SERVER_FILES = "primary.tls names other files: new sessions use them now, the proxy's"
            + " own connections (monitor, binary log) after a restart";

    private final Map<String, ProxyPlugin<?>> available;
    private final LatencyHistograms histograms = new LatencyHistograms();
    private final Published published = new Published();
    private final List<SocketAddress> addresses = new ArrayList<>();
    private final CoreMetrics metrics;
    private final PluginHost plugins;
    private final SessionRegistry registry;
    private final SessionEnvironment environment;
    private @Nullable LivePlugins live;
    private final LegSetup legs;
    private final NetworkTransport transport;
    private final EventLoopGroup acceptors;
    private final EventLoopGroup loops;
    private final DescriptorShortage shortage;
    private final Servers servers;
    private final RelayContext relay;
    private final RelayServer server;
    private final HoldControl hold;
    private final SessionDrain sessions;
    private final LiveConfig configuration;

    private volatile boolean listening;

    /**
     * Assembles the proxy without starting it.
     *
     * @param available installed plugins by id
     * @throws IllegalStateException when the configured transport is not available
     */
    public ProxyServer(LoadedConfig loaded, Map<String, ProxyPlugin<?>> available, MeterRegistry meters) {
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
        limitInflation(config);
        metrics.inflation(environment.inflation()::used, environment.inflation()::waiting);
        PrimaryAddress primary = new PrimaryAddress(config.primary().address(), meters, Clock.systemUTC());
        legs = new LegSetup(config, primary::get);
        transport = NetworkTransport.resolve(config.transport());
        if (config.listen().reusePort()) {
            requireReuse(transport);
        }
        transport.setLongestNameTtl(config.limits().nameTtl());
        acceptors = transport.group(1, "accept");
        loops = transport.relayGroup(relayThreads(config), "relay");
        shortage = new DescriptorShortage(acceptors.next());
        servers = new Servers(config, primary, transport, meters);
        configuration = new LiveConfig(loaded, plugins::configs, servers::chosenPrimary, () -> {
            LivePlugins now = live;
            return now == null ? Map.of() : now.olderSessions();
        });
        PrimaryConnector connector = new PrimaryConnector(
                transport, primary, config.primary().connectTimeout(), RelayServer.WATER_MARK, shortage);
        sessions = new SessionDrain(registry, loops);
        primary.onChange((from, to) -> sessions.leaveOldPrimary(
                primary.present().abandoned()
                        ? Duration.ZERO
                        : configuration.current().config().limits().drainTimeout()));
        primary.setPlannedCheck(environment.hold()::on);
        servers.monitor().onSqlMode(environment.sqlMode()::seen);
        connector.refuseWhile(servers.candidates()::unchosen);
        connector.whenFailed(servers.monitor()::suspect);
        connector.whenLoggedIn(servers.monitor()::loggedIn);
        relay = new RelayContext(
                registry,
                environment,
                connector,
                shortage,
                new MoveTools(
                        new SessionConnector(
                                transport,
                                legs.policy(),
                                config.primary().tls().serverKey(),
                                RelayServer.WATER_MARK,
                                shortage::isShort,
                                config.primary().connectTimeout(),
                                MOVE_LOGIN),
                        servers.secrets(),
                        new MovesAtOnce(MOVES_AT_ONCE)));
        environment.setHandshakeTimeoutMillis(config.limits().handshakeTimeout().toMillis());
        connector.sendProxyProtocol(config.primary().proxyProtocol());
        environment.sessions(registry::all);
        AbsentPrimary absent = environment.absentPrimary();
        absent.follow(servers.signs(absent::probed), loops, registry::all);
        apply(config.failover());
        hold = new HoldControl(environment.hold(), registry, loops, servers.monitor()::changeOver);
        server = new RelayServer(transport, acceptors, loops, relay);
        server.acceptProxyProtocol(
                config.listen().proxyProtocol(), config.listen().trustedNetworks());
        if (config.listen().reusePort()) {
            server.reusePort();
        }
        follow();
    }

    /** The fewer threads, the more events each finds at a time: less CPU a query, and a lower 99th percentile. */
    private static int relayThreads(UnderstudyConfig config) {
        int asked = config.listen().threads();
        return asked == 0 ? Math.max(1, Runtime.getRuntime().availableProcessors() / 2) : asked;
    }

    /** Sets what becomes of sessions when the primary is absent or another one. */
    private void apply(FailoverConfig config) {
        boolean move = config.sessions() == FailoverConfig.Sessions.MOVE;
        environment.absentPrimary().allow(config.hold());
        environment.setMoves(move);
        servers.secrets().accounts(config.accounts());
        LoginPolicy.Proofs proofs = config.fullAuthentication() ? LoginPolicy.Proofs.DEMANDED : LoginPolicy.Proofs.SEEN;
        environment.setLoginPolicy(legs.policy().with(move ? proofs : LoginPolicy.Proofs.OFF));
    }

    private static void requireReuse(NetworkTransport transport) {
        String problem = PortReuse.problem(transport.kind());
        if (problem != null) {
            throw new IllegalStateException(problem);
        }
    }

    /**
     * Starts the plugins and the probes of the servers, but accepts nobody yet.
     *
     * @throws PluginStartException when a configured plugin cannot work
     */
    public void prepare() throws PluginStartException {
        servers.start(configuration.current().config().primary());
        followLimits(configuration.current());
        HostContext.Shared shared = new HostContext.Shared(
                metrics.registry(),
                histograms,
                Clock.systemUTC(),
                servers.primary(),
                servers.standbys(),
                published,
                new SharedInstances(),
                new MeterOwners(metrics.registry()));
        LivePlugins contexts = new LivePlugins(shared, registry);
        live = contexts;
        plugins.start(available, configuration.current().plugins(), contexts);
    }

    /**
     * Listens. Called after {@link #prepare}, as the last step of a start that can fail: with {@code listen.reusePort}
     * the process gets clients from here on that would otherwise go to its predecessor.
     *
     * @throws IOException when an address cannot be listened on; clients accepted meanwhile have been drained
     */
    public void listen() throws IOException {
        LivePlugins contexts = live;
        if (contexts != null) {
            contexts.serving();
        }
        try {
            for (Address address : configuration.current().config().listen().address()) {
                addresses.add(server.bind(address));
            }
        } catch (IOException e) {
            giveUpPorts();
            throw e;
        }
        listening = true;
        log.info(
                "listening on {} for primary {} ({})",
                addresses,
                servers.primaryView().get("address"),
                transport.kind());
        warnOfLimit();
    }

    /** Lets clients of the listeners that did begin finish, as another address cannot be listened on. */
    private void giveUpPorts() {
        if (!configuration.current().config().listen().reusePort() || addresses.isEmpty()) {
            return;
        }
        server.yieldPorts();
        try {
            sessions.leavePorts(configuration.current().config().limits().drainTimeout(), server);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Nothing is injected for accounts whose queries are limited; without plugins nothing is injected anyway. */
    private void followLimits(LoadedConfig wanted) {
        if (!wanted.plugins().isEmpty()) {
            servers.followLimits(environment.limitedAccounts()::tell);
        }
    }

    private void warnOfLimit() {
        String tooLow = DescriptorShortage.limitTooLow(registry.limit());
        if (tooLow != null) {
            log.warn("{}", tooLow);
        }
    }

    /** Shared by the listeners of the process while file descriptors are short. */
    public DescriptorShortage shortage() {
        return shortage;
    }

    /** Returns the addresses that clients connect to, with the chosen ports where 0 was configured. */
    public List<SocketAddress> addresses() {
        return List.copyOf(addresses);
    }

    public SessionRegistry registry() {
        return registry;
    }

    public LatencyHistograms histograms() {
        return histograms;
    }

    /** Returns the views and actions that plugins publish. */
    public Published published() {
        return published;
    }

    /**
     * Returns why the proxy should get no new connections, one sentence each; empty when it is ready. Thread-safe;
     * never waits.
     */
    public List<String> notReady() {
        if (registry.draining()) {
            return List.of("draining");
        }
        if (!listening) {
            return List.of("starting: does not listen yet");
        }
        List<String> reasons = new ArrayList<>();
        String scarce = shortage.problem();
        if (scarce != null) {
            reasons.add(scarce);
        }
        String problem = servers.primaryProblem();
        if (problem != null) {
            reasons.add("primary: " + problem);
        }
        return reasons;
    }

    /** Returns the content of {@code /api/sessions}: the connected clients, at most a thousand, without SQL text. */
    public Object sessionsView() {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("count", registry.count());
        view.put("limit", registry.limit());
        view.put("draining", registry.draining());
        view.put(
                "sessions",
                registry.all().stream()
                        .limit(SESSIONS_SHOWN)
                        .map(ClientSession::view)
                        .toList());
        return view;
    }

    /** Sets what is called when a server refuses a password of the configuration. It must not wait. */
    public void whenPasswordRefused(Runnable action) {
        servers.whenPasswordRefused(action);
    }

    /** Returns what an operator should know of though the proxy is ready. Thread-safe; never waits. */
    public List<String> warnings() {
        return servers.warnings();
    }

    /** Returns the content of {@code /api/primary}. */
    public Map<String, Object> primaryView() {
        return servers.primaryView();
    }

    /**
     * Makes another server the primary. Thread-safe; waits for that server.
     *
     * @param force also a server that does not respond or is read-only
     * @throws IllegalArgumentException if that is the proxy's own address, primary.candidates decides otherwise, or the
     *     server cannot be the primary
     */
    public Map<String, Object> choosePrimary(Address chosen, boolean force) {
        if (configuration.current().config().listen().address().contains(chosen)) {
            throw new IllegalArgumentException(chosen + " is the proxy's own listen.address");
        }
        servers.choosePrimary(chosen, force);
        return servers.primaryView();
    }

    /**
     * Holds sessions at their boundaries, and new connections before they are connected to the primary, for at most
     * {@code max}. Thread-safe; waits shortly.
     *
     * @param gone completes when the operator's connection has closed, which ends the hold
     * @throws IllegalArgumentException if sessions are held already, or for longer than connections may wait
     */
    public Map<String, Object> hold(Duration max, CompletionStage<Void> gone) throws InterruptedException {
        Duration longest = configuration.current().config().limits().handshakeTimeout();
        if (max.isZero() || max.compareTo(longest) > 0) {
            throw new IllegalArgumentException("max: expected more than 0 and at most limits.handshakeTimeout ("
                    + Durations.format(longest) + "), as new connections wait too");
        }
        return hold.begin(max, gone);
    }

    /** Ends {@link #hold}. Thread-safe. */
    public Map<String, Object> release() {
        return hold.release("POST /api/release");
    }

    /** Returns the content of {@code /api/hold}. */
    public Map<String, Object> holdView() {
        return hold.view();
    }

    /** Returns the content of {@code /api/standbys}. */
    public Object standbysView() {
        return servers.view(published);
    }

    private void limitInflation(UnderstudyConfig config) {
        ByteSize limit = config.limits().inflationBytes();
        environment.inflation().setLimit(limit == null ? InflationBudget.defaultLimit() : limit.bytes());
    }

    /** Returns the configuration in force, and what applies another one. */
    public LiveConfig configuration() {
        return configuration;
    }

    /** What follows a new configuration, in this order: sessions that leave a primary find the new certificates. */
    private void follow() {
        configuration.follow("listen.tls, primary.tls", (now, diff) -> {
            Runnable replace = legs.reload(now.config());
            return left -> {
                replace.run();
                if (!diff.serverFiles().isEmpty()) {
                    left.waits().add(SERVER_FILES);
                }
            };
        });
        configuration.follow("listen.maxConnections", now -> {
            int before = registry.limit();
            registry.setLimit(now.config().listen().maxConnections());
            if (registry.limit() != before) {
                warnOfLimit();
            }
        });
        configuration.follow("limits", now -> {
            UnderstudyConfig config = now.config();
            limitInflation(config);
            transport.setLongestNameTtl(config.limits().nameTtl());
            environment.setStatementLimit(config.limits().statementBytes().toInt());
            environment.setHandshakeTimeoutMillis(
                    config.limits().handshakeTimeout().toMillis());
        });
        configuration.follow("primary, standbys", now -> {
            servers.reloadAccounts(now.config());
            servers.reload(now.config().primary());
        });
        configuration.follow("failover", now -> apply(now.config().failover()));
        configuration.follow("plugins", (now, diff) -> left -> {
            followLimits(now);
            plugins.reload(now.plugins(), left);
        });
    }

    /**
     * Accepts no new sessions once {@code limits.drainDelay} is over, closes idle ones, and lets the others finish
     * their transaction for at most {@code timeout}. Waits until all have ended, or {@link #endDrain} is called. With
     * {@code listen.reusePort}, there is no delay, and clients that the kernel has connected to this process are served
     * first, so that none is refused.
     */
    public void drain(Duration timeout) throws InterruptedException {
        if (configuration.current().config().listen().reusePort()) {
            sessions.leavePorts(timeout, server);
        } else {
            sessions.announce(configuration.current().config().limits().drainDelay());
            sessions.drain(timeout);
        }
    }

    /** Ends a {@link #drain} in progress, or makes a later one return at once. Thread-safe. */
    public void endDrain() {
        sessions.endDrain();
    }

    @Override
    public void close() {
        servers.stopFollowing();
        hold.release("the proxy shuts down");
        server.close();
        sessions.close(TimeUnit.SECONDS.toMillis(SHUTDOWN_SECONDS));
        // Plugins observe every session to its end, so they stop last.
        plugins.stop();
        LoopEnd.of(loops, SHUTDOWN_SECONDS);
        LoopEnd.of(acceptors, SHUTDOWN_SECONDS);
        LivePlugins ended = live;
        if (ended != null) {
            ended.close();
        }
        servers.close();
        transport.closeNames();
        shortage.close();
    }
}
