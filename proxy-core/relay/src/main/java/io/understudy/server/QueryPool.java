package io.understudy.server;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.MonitorConfig;
import io.understudy.config.PrimaryConfig;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.StandbyConfig;
import io.understudy.plugin.AccountUse;
import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A small pool of connections to one server for the proxy's own queries. It can be created while the server is down.
 * Thread-safe, but not for event loops: getting a connection may wait for a second.
 */
public final class QueryPool implements AutoCloseable {
    /** The monitor must get one each second, beside long queries such as those of the mirror's checks. */
    private static final int SIZE = 4;

    /** A privilege that was granted is in force on connections that are opened later. */
    private static final Duration LIFETIME = Duration.ofMinutes(1);

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final HikariDataSource pool;

    /**
     * Creates a pool.
     *
     * @param source its address and its account may change; see {@link #evict}
     * @param use where it is reported how the account fares
     */
    public QueryPool(String name, DriverSource source, AccountUse use) {
        this(name, source, use, () -> null);
    }

    /**
     * As above.
     *
     * @param refusal returns why no connection may be had now; null if one may
     */
    public QueryPool(String name, DriverSource source, AccountUse use, Supplier<@Nullable String> refusal) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("queries-" + name);
        config.setDataSource(source);
        config.setMaximumPoolSize(SIZE);
        config.setMinimumIdle(0);
        config.setMaxLifetime(LIFETIME.toMillis());
        config.setConnectionTimeout(PATIENCE.toMillis());
        config.setValidationTimeout(PATIENCE.toMillis());
        config.setInitializationFailTimeout(-1);
        config.setThreadFactory(new DefaultThreadFactory("queries-" + name, true));
        pool = new Pool(config, source, use, refusal);
    }

    /** Says why a connection could not be opened; the pool by itself, how long it waited and what it holds. */
    private static final class Pool extends HikariDataSource {
        private final DriverSource source;
        private final AccountUse use;
        private final Supplier<@Nullable String> refusal;

        Pool(HikariConfig config, DriverSource source, AccountUse use, Supplier<@Nullable String> refusal) {
            super(config);
            this.source = source;
            this.use = use;
            this.refusal = refusal;
        }

        @Override
        public Connection getConnection() throws SQLException {
            String refused = refusal.get();
            if (refused != null) {
                throw new SQLTransientConnectionException(refused, "08001");
            }
            try {
                Connection connection = super.getConnection();
                // One that was being opened when the address changed is in no list that could be evicted.
                while (!source.isCurrent(connection.unwrap(org.mariadb.jdbc.Connection.class))) {
                    evictConnection(connection);
                    connection = super.getConnection();
                }
                use.works();
                return connection;
            } catch (SQLTransientConnectionException e) {
                use.refused(AccountHealth.code(e), ProbeFailure.reason(e));
                if (e.getCause() instanceof SQLException why) {
                    // Without the number: the code of an error says that a connection responded.
                    throw new SQLTransientConnectionException(why.getMessage(), why.getSQLState(), why);
                }
                throw new SQLTransientConnectionException(
                        "no connection within " + PATIENCE.toSeconds() + " s", e.getSQLState());
            }
        }
    }

    /** Creates a pool with the account under which mirrored statements run, for programs that end soon. */
    public static QueryPool to(StandbyConfig standby) {
        return new QueryPool(
                standby.name(),
                new DriverSource(
                        standby.address(), standby.tls(), standby.user(), standby.password(), standby.connectTimeout()),
                AccountUse.NONE);
    }

    /**
     * As above with the monitor account, or returns null when none is configured.
     *
     * @param address see {@link ConfiguredPrimary}
     */
    public static @Nullable QueryPool to(PrimaryConfig primary, Address address) {
        MonitorConfig monitor = primary.monitor();
        return monitor == null
                ? null
                : new QueryPool(
                        "primary",
                        new DriverSource(
                                address, primary.tls(), monitor.user(), monitor.password(), primary.connectTimeout()),
                        AccountUse.NONE);
    }

    /** Closes idle connections now and the others when they are returned, because the server has changed. */
    public void evict() {
        pool.getHikariPoolMXBean().softEvictConnections();
    }

    /** Opens one connection without a pool, for instance for {@code check}. The caller closes it. */
    public static ServerQueries connect(
            Address address, ServerTlsConfig tls, String user, Secret password, Duration connectTimeout)
            throws SQLException {
        return ServerQueries.of(new DriverSource(address, tls, user, password, connectTimeout));
    }

    /** As above, with the longest connect timeout. */
    public static ServerQueries connect(Address address, ServerTlsConfig tls, String user, Secret password)
            throws SQLException {
        return connect(address, tls, user, password, DriverSource.RESPONSE_TIMEOUT);
    }

    public DataSource dataSource() {
        return pool;
    }

    /** Closes the connections; queries in progress fail. */
    @Override
    public void close() {
        pool.close();
    }
}
