package io.understudy;

import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.EventLoopGroup;
import io.understudy.config.MonitorConfig;
import io.understudy.config.PrimaryConfig;
import io.understudy.config.StandbyConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.connection.NettyServerConnector;
import io.understudy.connection.NetworkTransport;
import io.understudy.host.HostedPrimary;
import io.understudy.host.HostedStandby;
import io.understudy.host.Published;
import io.understudy.plugin.ServerConnector;
import io.understudy.plugin.Standby;
import io.understudy.server.PrimaryMonitor;
import io.understudy.server.QueryLimits;
import io.understudy.server.QueryPool;
import io.understudy.server.StandbyMonitor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Access to the primary and the standbys for everything except sessions: monitors, connection pools, and server
 * connections on event loops of their own.
 */
final class Servers implements AutoCloseable {
    private static final Duration LOGIN_TIMEOUT = Duration.ofSeconds(10);
    private static final int LOOPS = 1;
    private static final int MONITOR_THREADS = 2;

    private final EventLoopGroup loops;
    private final ScheduledExecutorService monitors;
    private final List<QueryPool> pools = new ArrayList<>();
    private final List<StandbyMonitor> standbyMonitors = new ArrayList<>();
    private final List<Standby> standbys = new ArrayList<>();
    private final PrimaryMonitor primaryMonitor;
    private final @Nullable QueryPool primaryQuestions;
    private @Nullable QueryLimits queryLimits;
    private final HostedPrimary primary;

    Servers(UnderstudyConfig config, NetworkTransport transport, MeterRegistry meters) {
        loops = transport.relayGroup(LOOPS, "client");
        monitors = Executors.newScheduledThreadPool(MONITOR_THREADS, task -> {
            Thread thread = new Thread(task, "monitor");
            thread.setDaemon(true);
            return thread;
        });
        PrimaryConfig primaryConfig = config.primary();
        QueryPool queries = QueryPool.to(primaryConfig);
        primaryQuestions = queries;
        if (queries != null) {
            pools.add(queries);
        }
        primaryMonitor = new PrimaryMonitor(
                primaryConfig,
                queries == null ? null : queries.dataSource(),
                meters,
                monitors,
                PrimaryMonitor.INTERVAL);
        primary = new HostedPrimary(
                queries == null ? null : queries.dataSource(), primaryMonitor, connector(primaryConfig, transport));
        for (StandbyConfig standby : config.standbys()) {
            add(standby, transport, meters);
        }
    }

    private ServerConnector connector(PrimaryConfig config, NetworkTransport transport) {
        MonitorConfig account = config.monitor();
        return account == null
                ? HostedPrimary.noAccount()
                : new NettyServerConnector(
                        transport,
                        loops,
                        config.address(),
                        account.user(),
                        account.password(),
                        config.tls(),
                        config.connectTimeout(),
                        LOGIN_TIMEOUT);
    }

    private void add(StandbyConfig config, NetworkTransport transport, MeterRegistry meters) {
        QueryPool queries = QueryPool.to(config);
        pools.add(queries);
        StandbyMonitor monitor =
                new StandbyMonitor(config.name(), queries.dataSource(), meters, monitors, StandbyMonitor.INTERVAL);
        standbyMonitors.add(monitor);
        standbys.add(new HostedStandby(
                config.name(),
                queries.dataSource(),
                monitor,
                new NettyServerConnector(
                        transport,
                        loops,
                        config.address(),
                        config.user(),
                        config.password(),
                        config.tls(),
                        config.connectTimeout(),
                        LOGIN_TIMEOUT)));
    }

    /** See {@link PrimaryMonitor#tellSqlMode}. */
    void tellSqlMode(PrimaryMonitor.SqlModeListener listener) {
        primaryMonitor.tellSqlMode(listener);
    }

    /** Sets the listener for accounts whose queries the primary limits. Must be called before {@link #start}. */
    void tellLimitedAccounts(Consumer<Set<String>> listener) {
        QueryPool queries = primaryQuestions;
        queryLimits = queries == null ? null : new QueryLimits(queries.dataSource(), monitors, listener);
    }

    void start() {
        primaryMonitor.start();
        QueryLimits limits = queryLimits;
        if (limits != null) {
            limits.start();
        }
        standbyMonitors.forEach(StandbyMonitor::start);
    }

    HostedPrimary primary() {
        return primary;
    }

    List<Standby> standbys() {
        return List.copyOf(standbys);
    }

    /** Requests a probe of the primary, because a session could not be connected. Thread-safe. */
    void suspectPrimary() {
        primaryMonitor.suspect();
    }

    /** Returns why the primary cannot be used, or null when it can. */
    @Nullable
    String primaryProblem() {
        return primaryMonitor.state().reachable()
                ? null
                : primaryMonitor.state().problem();
    }

    /** Returns the content of {@code /api/standbys}. */
    List<Map<String, Object>> view(Published published) {
        List<Map<String, Object>> view = new ArrayList<>();
        for (Standby standby : standbys) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("standby", standby.name());
            row.put("state", standby.state());
            row.putAll(published.ofStandby(standby.name()));
            view.add(row);
        }
        return view;
    }

    @Override
    public void close() {
        primaryMonitor.close();
        QueryLimits limits = queryLimits;
        if (limits != null) {
            limits.close();
        }
        standbyMonitors.forEach(StandbyMonitor::close);
        monitors.shutdownNow();
        pools.forEach(QueryPool::close);
        loops.shutdownGracefully(0, 2, java.util.concurrent.TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
