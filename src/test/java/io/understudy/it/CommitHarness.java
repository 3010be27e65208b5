package io.understudy.it;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.EventLoopGroup;
import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import io.understudy.config.Transport;
import io.understudy.connection.NettyServerConnector;
import io.understudy.connection.NetworkTransport;
import io.understudy.plugin.AccountUse;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.LatencyRecorder;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.Primary;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerConnector;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugin.SessionSettings;
import io.understudy.plugin.Standby;
import io.understudy.plugins.commitlatency.CommitLatencyConfig;
import io.understudy.plugins.commitlatency.CommitLatencyPlugin;
import io.understudy.sql.StatementKind;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.mariadb.jdbc.MariaDbDataSource;

/**
 * Runs the plugin {@code commit-latency} on a real primary without the proxy. Commits are made and timed over JDBC, and
 * then passed to the plugin's observer as the proxy would.
 */
final class CommitHarness implements AutoCloseable {
    private static final NetworkTransport TRANSPORT = NetworkTransport.resolve(Transport.AUTO);

    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final EventLoopGroup loops = TRANSPORT.relayGroup(1, "it-dump");
    private final ScheduledExecutorService executor = Executors.newScheduledThreadPool(2);
    private final Map<String, List<Long>> series = new ConcurrentHashMap<>();
    private final Map<String, Supplier<Object>> views = new ConcurrentHashMap<>();
    private final CommitLatencyPlugin plugin = new CommitLatencyPlugin();
    private final DataSource source;

    /** @param user account of the plugin's queries and of the dump connection */
    CommitHarness(int port, String user, String password, CommitLatencyConfig config) throws Exception {
        source = new MariaDbDataSource("jdbc:mariadb://127.0.0.1:" + port
                + "/?sslMode=disable&allowPublicKeyRetrieval=true&user=" + user + "&password=" + password);
        ServerConnector connector = new NettyServerConnector(
                TRANSPORT,
                loops,
                Address.parse("127.0.0.1:" + port),
                user,
                Secret.parse(password),
                new ServerTlsConfig(ServerTlsMode.DISABLED, null, null, null),
                Duration.ofSeconds(5),
                Duration.ofSeconds(10));
        Primary primary = fake(
                Primary.class,
                Map.of(
                        "dataSource",
                        source,
                        "flavor",
                        ServerFlavor.MARIADB,
                        "connector",
                        connector,
                        "onChange",
                        (AutoCloseable) () -> {},
                        "onReachable",
                        (AutoCloseable) () -> {},
                        "accountUse",
                        AccountUse.NONE));
        try {
            plugin.start(new Context(primary), config);
        } catch (Exception e) {
            throw new IllegalStateException("the plugin does not start", e);
        }
    }

    private final class Context implements PluginContext {
        private final Primary primary;

        private Context(Primary primary) {
            this.primary = primary;
        }

        @Override
        public SimpleMeterRegistry meters() {
            return meters;
        }

        @Override
        public LatencyRecorder latency(String name, String description, String... tags) {
            List<Long> values = recorded(name + List.of(tags));
            return values::add;
        }

        @Override
        public ScheduledExecutorService executor() {
            return executor;
        }

        @Override
        public Clock clock() {
            return Clock.systemUTC();
        }

        @Override
        public Primary primary() {
            return primary;
        }

        @Override
        public List<Standby> standbys() {
            return List.of();
        }

        /** Creates a new instance, because no other plugin shares it. */
        @Override
        public <T extends AutoCloseable> T shared(Class<T> type, Function<PluginContext, T> create) {
            return create.apply(this);
        }

        @Override
        public void publish(String name, Supplier<Object> view) {
            views.put(name, view);
        }

        @Override
        public void publishAction(String name, Set<String> parameters, Action action) {
            throw new UnsupportedOperationException(name);
        }
    }

    /** Returns the observer of a new session. */
    SessionObserver session(String user) {
        SessionSettings settings = fake(SessionSettings.class, Map.of());
        return plugin.openSession(
                fake(SessionContext.class, Map.of("id", 1L, "user", user, "schema", "shop", "settings", settings)));
    }

    /** Reports an autocommit INSERT to the observer. */
    static void inserted(SessionObserver observer, @Nullable String gtid, long sentNanos, long okNanos) {
        CommandView command = fake(
                CommandView.class,
                Map.of("isStatement", true, "kind", StatementKind.INSERT, "receivedNanos", sentNanos));
        Map<String, Object> response = new java.util.HashMap<>(Map.of(
                "earlierGtids", List.of(), "ok", true, "status", 2, "affectedRows", 1L, "lastByteNanos", okNanos));
        if (gtid != null) {
            response.put("gtid", gtid);
        }
        observer.onCommand(command);
        observer.onResponse(command, fake(ResponseView.class, response));
    }

    /** Runs an INSERT, reports it to the observer, and returns its latency in nanoseconds. */
    static long insert(SessionObserver observer, Statement statement, String sql, String gtidQuery)
            throws SQLException {
        long sent = System.nanoTime();
        statement.executeUpdate(sql);
        long ok = System.nanoTime();
        inserted(observer, query(statement, gtidQuery), sent, ok);
        return ok - sent;
    }

    static String query(Statement statement, String sql) throws SQLException {
        try (ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(rows.getMetaData().getColumnCount());
        }
    }

    /** Returns the recorded values of a series in order, in nanoseconds. */
    List<Long> recorded(String nameAndTags) {
        return series.computeIfAbsent(nameAndTags, name -> new CopyOnWriteArrayList<>());
    }

    List<Long> waits() {
        return recorded("understudy_commit_semisync_wait_seconds[source, binlog]");
    }

    /** Returns the content of {@code /api/commits} as text, not exactly as JSON. */
    String view() {
        return String.valueOf(Objects.requireNonNull(views.get("commits")).get());
    }

    boolean streaming() {
        return view().contains("active=binlog");
    }

    Connection connect() throws SQLException {
        return source.getConnection();
    }

    @Override
    public void close() {
        plugin.stop();
        executor.shutdownNow();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** Returns an implementation that returns the given values by method name, and zero, false or null otherwise. */
    @SuppressWarnings("unchecked")
    private static <T> T fake(Class<T> type, Map<String, ?> values) {
        return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            Object value = values.get(method.getName());
            if (value != null) {
                return value;
            }
            Class<?> result = method.getReturnType();
            if (result == boolean.class) {
                return false;
            }
            if (result == int.class) {
                return 0;
            }
            return result == long.class ? (Object) 0L : null;
        });
    }
}
