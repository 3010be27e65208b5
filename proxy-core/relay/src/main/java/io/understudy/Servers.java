package io.understudy;

import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.understudy.config.Address;
import io.understudy.config.MonitorConfig;
import io.understudy.config.PrimaryConfig;
import io.understudy.config.StandbyConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.connection.NameLookup;
import io.understudy.connection.NettyServerConnector;
import io.understudy.connection.NetworkTransport;
import io.understudy.host.HostedPrimary;
import io.understudy.host.Published;
import io.understudy.move.SessionSecrets;
import io.understudy.plugin.ServerConnector;
import io.understudy.plugin.Standby;
import io.understudy.plugin.StandbyState;
import io.understudy.server.Candidates;
import io.understudy.server.DriverSource;
import io.understudy.server.FollowedName;
import io.understudy.server.LiveAccount;
import io.understudy.server.LoginCheck;
import io.understudy.server.PrimaryAddress;
import io.understudy.server.PrimaryMonitor;
import io.understudy.server.PrimaryState;
import io.understudy.server.QueryLimits;
import io.understudy.server.QueryPool;
import io.understudy.server.StandbyMonitor;
import io.understudy.session.AbsentPrimary;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Access to the primary and the standbys for everything except sessions: monitors, connection pools, and server
 * connections on event loops of their own.
 */
final class Servers implements AutoCloseable {
    private static final Duration LOGIN_TIMEOUT = Duration.ofSeconds(10);
    private static final int LOOPS = 1;
    private static final int SHUTDOWN_SECONDS = 2;
    private static final String QUERIES = "queries of the primary (semi-sync state, tables, positions)";
    /** For the primary's monitor, its candidates' first probes at a reload, accounts with limits, and logins. */
    private static final int MONITOR_THREADS = 4;

    /** A start does not wait longer for candidates; a silent one counts as unreachable after 3 s. */
    private static final Duration FIRST_PROBES = Duration.ofSeconds(5);

    private final EventLoopGroup loops;
    /** Serves {@link HostedPrimary#separateConnector}; created by its first call. Guarded by this. */
    private @Nullable EventLoopGroup separateLoop;

    private final ScheduledThreadPoolExecutor monitors;
    private final ExecutorService probeThreads;
    private final NameLookup names;
    private final PrimaryAddress address;
    private final Candidates candidates;
    private final int standbyCount;
    private final List<HostedStandby> standbys = new ArrayList<>();
    private final PrimaryConfig primaryConfig;
    /** The last one that was applied in full. */
    private PrimaryConfig followed;

    private final @Nullable LiveAccount account;
    private final @Nullable LoginCheck loginCheck;
    private final PrimaryMonitor primaryMonitor;
    private final @Nullable QueryPool primaryQueries;
    private @Nullable QueryLimits queryLimits;
    private final HostedPrimary primary;
    private final SessionSecrets secrets;

    /** A standby as plugins see it, and what watches it. */
    private record HostedStandby(
            StandbyConfig config,
            LiveAccount account,
            QueryPool queries,
            StandbyMonitor monitor,
            LoginCheck logins,
            ServerConnector connector)
            implements Standby {
        @Override
        public String name() {
            return config.name();
        }

        @Override
        public DataSource dataSource() {
            return queries.dataSource();
        }

        @Override
        public void renewConnections() {
            queries.evict();
        }

        @Override
        public StandbyState state() {
            return monitor.state();
        }

        @Override
        public boolean isPrimary() {
            return monitor.isPrimary();
        }
    }

    Servers(UnderstudyConfig config, PrimaryAddress address, NetworkTransport transport, MeterRegistry meters) {
        this.address = address;
        loops = transport.relayGroup(LOOPS, "client");
        names = transport.nameLookup();
        primaryConfig = config.primary();
        followed = primaryConfig;
        standbyCount = config.standbys().size();
        monitors = new ScheduledThreadPoolExecutor(threads(primaryConfig), new DefaultThreadFactory("monitor", true));
        monitors.setRemoveOnCancelPolicy(true);
        probeThreads = Executors.newCachedThreadPool(new DefaultThreadFactory("probe", true));
        LiveAccount monitor = LiveAccount.of(primaryConfig.monitor(), address, meters);
        account = monitor;
        DataSource pool = null;
        if (monitor == null) {
            primaryQueries = null;
            loginCheck = null;
        } else {
            DriverSource source = new DriverSource(
                    address::get, names, primaryConfig.tls(), monitor::credentials, primaryConfig.connectTimeout());
            QueryPool queries =
                    new QueryPool("primary", source, monitor.health().use(QUERIES), this::noQueries);
            primaryQueries = queries;
            loginCheck = new LoginCheck(source, monitor.health(), monitors, LoginCheck.INTERVAL);
            pool = queries.dataSource();
            address.onChange((from, to) -> queries.evict());
            monitor.whenRefusedIsReplaced(queries::evict);
        }
        primaryMonitor = new PrimaryMonitor(
                address, primaryConfig, monitor, names, meters, monitors, probeThreads, PrimaryMonitor.INTERVAL);
        candidates = new Candidates(address, primaryConfig, monitor, names, meters, monitors, probeThreads);
        if (monitor != null) {
            address.onChange((from, to) -> monitor.health().forget());
            monitor.health().onRecovered(primaryMonitor::announceReachable);
        }
        primary = new HostedPrimary(
                pool,
                address,
                primaryMonitor,
                connector(primaryConfig, transport, loops),
                () -> separateConnector(primaryConfig, transport),
                monitor == null ? null : monitor.health(),
                candidates::unknown);
        secrets = new SessionSecrets(pool, probeThreads);
        address.onChange((from, to) -> secrets.forget());
        for (StandbyConfig standby : config.standbys()) {
            add(standby, transport, meters);
        }
    }

    /** Each probe and each login may wait, and none must wait for another. */
    private int threads(PrimaryConfig config) {
        return MONITOR_THREADS + 2 * standbyCount + config.candidates().size();
    }

    private synchronized ServerConnector separateConnector(PrimaryConfig config, NetworkTransport transport) {
        EventLoopGroup own = separateLoop;
        if (own == null) {
            own = transport.relayGroup(1, "binlog");
            separateLoop = own;
        }
        return connector(config, transport, own);
    }

    private ServerConnector connector(PrimaryConfig config, NetworkTransport transport, EventLoopGroup on) {
        LiveAccount monitor = account;
        if (monitor == null) {
            return HostedPrimary.noAccount();
        }
        ServerConnector connector = new NettyServerConnector(
                transport,
                on,
                address::get,
                monitor::credentials,
                config.tls(),
                config.connectTimeout(),
                LOGIN_TIMEOUT);
        return () -> {
            String unknown = candidates.unknown();
            return unknown == null
                    ? connector.connect()
                    : CompletableFuture.failedFuture(new IOException("no connection to the primary: " + unknown));
        };
    }

    /** Where attempts fail for a while the pool pauses before the next one, and a new primary would wait for that. */
    private @Nullable String noQueries() {
        String unknown = candidates.unknown();
        return unknown == null && primaryMonitor.absent()
                ? primaryMonitor.state().problem()
                : unknown;
    }

    private void add(StandbyConfig config, NetworkTransport transport, MeterRegistry meters) {
        LiveAccount its = LiveAccount.of(config, meters);
        DriverSource source =
                new DriverSource(config::address, names, config.tls(), its::credentials, config.connectTimeout());
        QueryPool queries = new QueryPool(config.name(), source, its.health().use("the proxy's own queries"));
        its.whenRefusedIsReplaced(queries::evict);
        StandbyMonitor monitor = new StandbyMonitor(
                config.name(),
                queries.dataSource(),
                identity -> isPrimary(config, identity),
                meters,
                monitors,
                StandbyMonitor.INTERVAL);
        monitor.setPlannedCheck(address::isChangePlanned);
        monitor.primaryReadOnlyWhile(
                () -> Boolean.TRUE.equals(primaryMonitor.state().readOnly()));
        monitor.reportTo(its.health());
        LoginCheck logins = new LoginCheck(source, its.health(), monitors, LoginCheck.INTERVAL);
        NettyServerConnector connector = new NettyServerConnector(
                transport,
                loops,
                config::address,
                its::credentials,
                config.tls(),
                config.connectTimeout(),
                LOGIN_TIMEOUT);
        monitor.beforeProbes(new FollowedName(config.name(), config.address(), names, () -> {
            queries.evict();
            connector.disconnect();
        }));
        standbys.add(new HostedStandby(config, its, queries, monitor, logins, connector));
    }

    private boolean isPrimary(StandbyConfig standby, @Nullable String identity) {
        return standby.address().equals(address.get())
                || identity != null && identity.equals(primaryMonitor.state().identity());
    }

    /** Begins to tell the listener of accounts whose queries the primary limits, once. Called after {@link #start}. */
    void followLimits(Consumer<Set<String>> listener) {
        QueryPool queries = primaryQueries;
        if (queries != null && queryLimits == null) {
            QueryLimits limits = new QueryLimits(queries.dataSource(), monitors, listener);
            queryLimits = limits;
            limits.start();
        }
    }

    /** Starts probing. With candidates, waits for the first probes, so that sessions begin at the right server. */
    void start(PrimaryConfig config) {
        candidates.askStandbys(this::readOnlyByItsAccount);
        candidates.watch(config.candidates());
        try {
            candidates.awaitFirst(FIRST_PROBES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        primaryMonitor.start();
        if (loginCheck != null) {
            loginCheck.start();
        }
        standbys.forEach(standby -> standby.monitor.start());
        standbys.forEach(standby -> standby.logins.start());
    }

    private @Nullable Boolean readOnlyByItsAccount(Address at) {
        return standbys.stream()
                .filter(standby ->
                        standby.config.address().equals(at) && standby.state().reachable())
                .findFirst()
                .map(standby -> standby.state().readOnly())
                .orElse(null);
    }

    /** Probes the present primary. */
    PrimaryMonitor monitor() {
        return primaryMonitor;
    }

    Candidates candidates() {
        return candidates;
    }

    HostedPrimary primary() {
        return primary;
    }

    /** Returns what finds the secrets of sessions that log in to another primary. */
    SessionSecrets secrets() {
        return secrets;
    }

    List<Standby> standbys() {
        return List.copyOf(standbys);
    }

    /** Sets what is called when a server refuses a password: the file with the new one may be there already. */
    void whenPasswordRefused(Runnable action) {
        if (account != null) {
            account.health().whenPasswordRefused(action);
        }
        standbys.forEach(each -> each.account.health().whenPasswordRefused(action));
    }

    /**
     * Has new connections log in with the accounts of a new configuration; those that are open go on. The account of a
     * standby with another address waits for that, until a restart.
     */
    void reloadAccounts(UnderstudyConfig now) {
        MonitorConfig monitor = now.primary().monitor();
        LiveAccount of = account;
        if (of != null && monitor != null && of.replace(monitor.user(), monitor.password())) {
            if (loginCheck != null) {
                loginCheck.soon();
            }
        }
        for (StandbyConfig next : now.standbys()) {
            for (HostedStandby standby : standbys) {
                boolean same = standby.name().equals(next.name())
                        && standby.config.address().equals(next.address());
                if (same && standby.account.replace(next.user(), next.password())) {
                    standby.logins.soon();
                }
            }
        }
    }

    /** Applies the primary's address or candidates of a new configuration. */
    void reload(PrimaryConfig now) {
        PrimaryConfig before = followed;
        monitors.setCorePoolSize(threads(now));
        candidates.watch(now.candidates());
        // The first candidate stands for an address that the file did not have.
        boolean named = !before.candidates().isEmpty() || !now.address().equals(before.address());
        if (now.candidates().isEmpty() && named) {
            address.change(now.address(), PrimaryAddress.Reason.RELOAD, "primary.address was changed by a reload");
        }
        followed = now;
    }

    /**
     * Makes another server the primary on an operator's request.
     *
     * @param force also a server that does not respond or is read-only
     * @throws IllegalArgumentException if primary.candidates decides otherwise, or the server cannot be the primary
     */
    void choosePrimary(Address chosen, boolean force) {
        boolean judged = candidates.admit(chosen);
        if (!force && !judged) {
            ensureUsable(chosen);
        }
        address.change(chosen, PrimaryAddress.Reason.API, "POST /api/primary");
        candidates.chosen();
    }

    /** Moving all clients to a server that is dead or refuses writes would be an outage. */
    private void ensureUsable(Address chosen) {
        String why = PrimaryMonitor.unusable(chosen, primaryConfig, account, names, probeThreads);
        if (why != null) {
            throw new IllegalArgumentException(
                    why + "; nothing was changed. With force=true the proxy moves there all the same");
        }
    }

    /** Returns what the probes say of the primary, to those that wait for one. */
    AbsentPrimary.Signs signs(Runnable afterProbe) {
        primaryMonitor.afterProbe(afterProbe);
        candidates.afterDecision(afterProbe);
        return new AbsentPrimary.Signs() {
            @Override
            public boolean absent() {
                return primaryMonitor.absent() || candidates.none() && !address.isChangePlanned();
            }

            @Override
            public boolean usable() {
                return !absent() && candidates.unchosen() == null;
            }

            @Override
            public long lastSignNanos() {
                return primaryMonitor.lastSignNanos();
            }

            @Override
            public void suspect() {
                primaryMonitor.suspect();
            }
        };
    }

    /** Returns why the primary cannot be used, or null when it can. */
    @Nullable
    String primaryProblem() {
        PrimaryState state = primaryMonitor.state();
        if (candidates.unchosen() != null) {
            return candidates.unchosen();
        }
        if (candidates.none()) {
            return candidates.problem();
        }
        return state.reachable() ? readOnlyProblem(state) : state.problem();
    }

    /** Where it is not known, as without a monitor account, or an operator changes the primary, there is none. */
    private @Nullable String readOnlyProblem(PrimaryState state) {
        if (!Boolean.TRUE.equals(state.readOnly()) || address.isChangePlanned()) {
            return null;
        }
        String writable = standbys.stream()
                .filter(standby ->
                        standby.state().reachable() && !standby.state().readOnly() && !standby.isPrimary())
                .map(Standby::name)
                .collect(Collectors.joining(", "));
        return address.get() + " is read-only, so clients cannot write; "
                + (writable.isEmpty()
                        ? "if another server has been promoted, tell the proxy: POST /api/primary, and primary.address"
                                + " in the file; if no other server has been promoted since, and it replicates from"
                                + " none: SET GLOBAL read_only=0 there"
                        : "standby " + writable + " is writable, as after a switch that the file does not know: POST"
                                + " /api/primary with its address, and change primary.address in the file");
    }

    /** Returns the primary in force if an operator chose it, else null. */
    @Nullable
    Address chosenPrimary() {
        PrimaryAddress.Present present = address.present();
        return present.reason() == PrimaryAddress.Reason.API ? present.address() : null;
    }

    /** Returns what an operator should know though the primary can be used. */
    List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        PrimaryState state = primaryMonitor.state();
        String undecided = candidates.problem();
        if (undecided != null) {
            warnings.add("primary: " + undecided);
        }
        String refused = account == null ? null : account.health().sentence();
        if (refused != null) {
            warnings.add(refused);
        }
        if (Boolean.TRUE.equals(state.readOnly()) && readOnlyProblem(state) == null) {
            warnings.add("primary " + address.get() + " is read-only");
        }
        return warnings;
    }

    /** Returns the content of {@code /api/primary}. */
    Map<String, Object> primaryView() {
        PrimaryState state = primaryMonitor.state();
        PrimaryAddress.Present present = address.present();
        PrimaryAddress.Reason reason = present.reason();
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("address", present.address().toString());
        view.put("known", candidates.unknown() == null);
        view.put("since", present.since().toString());
        view.put("reason", reason == null ? "start" : reason.label());
        Address former = present.former();
        view.put("former", former == null ? null : former.toString());
        view.put("reachable", state.reachable());
        view.put("readOnly", state.readOnly());
        view.put("version", state.version());
        view.put("problem", state.problem());
        view.put("warnings", warnings());
        view.put("account", account == null ? null : account.health().view());
        view.put("candidates", candidates.view());
        view.put("verdict", candidates.view().isEmpty() ? null : candidates.verdictLabel());
        return view;
    }

    /** Returns the content of {@code /api/standbys}. */
    List<Map<String, Object>> view(Published published) {
        List<Map<String, Object>> view = new ArrayList<>();
        for (HostedStandby standby : standbys) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("standby", standby.name());
            row.put("state", standby.state().view());
            row.put("primary", standby.isPrimary());
            row.put("account", standby.account.health().view());
            row.putAll(published.ofStandby(standby.name()));
            view.add(row);
        }
        return view;
    }

    /** Stops deciding which candidate is the primary, because the proxy stops. */
    void stopFollowing() {
        candidates.close();
    }

    @Override
    public void close() {
        candidates.close();
        primaryMonitor.close();
        if (queryLimits != null) {
            queryLimits.close();
        }
        if (loginCheck != null) {
            loginCheck.close();
        }
        standbys.forEach(standby -> standby.monitor.close());
        standbys.forEach(standby -> standby.logins.close());
        monitors.shutdownNow();
        probeThreads.shutdownNow();
        if (primaryQueries != null) {
            primaryQueries.close();
        }
        standbys.forEach(standby -> standby.queries.close());
        LoopEnd.of(loops, SHUTDOWN_SECONDS);
        synchronized (this) {
            if (separateLoop != null) {
                LoopEnd.of(separateLoop, SHUTDOWN_SECONDS);
            }
        }
    }
}
