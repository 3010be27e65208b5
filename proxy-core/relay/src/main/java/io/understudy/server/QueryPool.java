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
import io.understudy.connection.Credentials;
import io.understudy.connection.NameLookup;
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

    private QueryPool(String name, DriverSource source, AccountUse use) {
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
        pool = new Pool(config, source, use);
    }

    /** Says why a connection could not be opened; the pool by itself, how long it waited and what it holds. */
    private static final class Pool extends HikariDataSource {
        private final DriverSource source;
        private final AccountUse use;

        Pool(HikariConfig config, DriverSource source, AccountUse use) {
            super(config);
            this.source = source;
            this.use = use;
        }

        @Override
        public Connection getConnection() throws SQLException {
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
                use.refused(AccountHealth.code(e), Reasons.of(e));
                if (e.getCause() instanceof SQLException why) {
                    // Without the number: the code of an error says that a connection responded.
                    throw new SQLTransientConnectionException(why.getMessage(), why.getSQLState(), why);
                }
                throw new SQLTransientConnectionException(
                        "no connection within " + PATIENCE.toSeconds() + " s", e.getSQLState());
            }
        }
    }

    /** Creates a pool with the account under which mirrored statements run, which may change. */
    public static QueryPool to(StandbyConfig standby, LiveAccount account, NameLookup names) {
        return to(standby, account::credentials, account.health().use("the proxy's own queries"), names);
    }

    /** As above, for programs that end soon. */
    public static QueryPool to(StandbyConfig standby) {
        Credentials credentials = new Credentials(standby.user(), standby.password());
        return to(standby, () -> credentials, AccountUse.NONE, NameLookup.RUNTIME);
    }

    private static QueryPool to(
            StandbyConfig standby, Supplier<Credentials> credentials, AccountUse use, NameLookup names) {
        return new QueryPool(
                standby.name(),
                new DriverSource(
                        standby::address,
                        names,
                        standby.tls(),
                        credentials,
                        standby.connectTimeout(),
                        DriverSource.RESPONSE_TIMEOUT),
                use);
    }

    /**
     * Creates a pool with the monitor account, which may change.
     *
     * @param address the present primary's, called for each connection; see {@link #evict}
     */
    public static QueryPool to(
            PrimaryConfig primary, LiveAccount account, Supplier<Address> address, NameLookup names) {
        return to(
                primary,
                account::credentials,
                account.health().use("queries of the primary (semi-sync state, tables, positions)"),
                address,
                names);
    }

    private static QueryPool to(
            PrimaryConfig primary,
            Supplier<Credentials> credentials,
            AccountUse use,
            Supplier<Address> address,
            NameLookup names) {
        return new QueryPool(
                "primary",
                new DriverSource(
                        address,
                        names,
                        primary.tls(),
                        credentials,
                        primary.connectTimeout(),
                        DriverSource.RESPONSE_TIMEOUT),
                use);
    }

    /**
     * Creates a pool with the monitor account, for programs that end soon, or returns null when none is configured.
     *
     * @param address see {@link ConfiguredPrimary}
     */
    public static @Nullable QueryPool to(PrimaryConfig primary, Address address) {
        MonitorConfig monitor = primary.monitor();
        if (monitor == null) {
            return null;
        }
        Credentials credentials = new Credentials(monitor.user(), monitor.password());
        return to(primary, () -> credentials, AccountUse.NONE, () -> address, NameLookup.RUNTIME);
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

    /**
     * Returns a source of unpooled connections to a standby with another account, for rare statements that take long.
     *
     * @param response maximum time for a statement before the connection is closed; zero for no limit
     */
    public static DataSource unpooled(StandbyConfig standby, String user, Secret password, Duration response) {
        return new DriverSource(standby.address(), standby.tls(), user, password, standby.connectTimeout(), response);
    }

    /** As above, to any server, for the statements of a planned change. */
    public static DataSource unpooled(
            Address address, ServerTlsConfig tls, String user, Secret password, Duration connectTimeout) {
        return new DriverSource(address, tls, user, password, connectTimeout);
    }

    /**
     * As above, to any server, for texts of several statements.
     *
     * @param response maximum time for a text before the connection is closed
     */
    public static DataSource scripts(
            Address address,
            ServerTlsConfig tls,
            String user,
            Secret password,
            Duration connectTimeout,
            Duration response) {
        DriverSource source = new DriverSource(address, tls, user, password, connectTimeout, response);
        source.allowSeveralStatements();
        return source;
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
