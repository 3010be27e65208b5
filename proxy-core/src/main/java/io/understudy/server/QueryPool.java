package io.understudy.server;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.understudy.config.Address;
import io.understudy.config.MonitorConfig;
import io.understudy.config.PrimaryConfig;
import io.understudy.config.Secret;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.StandbyConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A small pool of connections to one server for the proxy's own queries. It can be created while the server is down.
 * Thread-safe, but not for event loops: getting a connection may wait for a second.
 */
public final class QueryPool implements AutoCloseable {
    private static final int SIZE = 2;
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final HikariDataSource pool;

    private QueryPool(
            String name, Address address, ServerTlsConfig tls, String user, Secret password, Duration connectTimeout) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("queries-" + name);
        config.setDataSource(new DriverSource(address, tls, user, password, connectTimeout));
        config.setMaximumPoolSize(SIZE);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(PATIENCE.toMillis());
        config.setValidationTimeout(PATIENCE.toMillis());
        config.setInitializationFailTimeout(-1);
        config.setThreadFactory(new DefaultThreadFactory("queries-" + name, true));
        pool = new HikariDataSource(config);
    }

    /** Creates a pool with the account under which mirrored statements run. */
    public static QueryPool to(StandbyConfig standby) {
        return new QueryPool(
                standby.name(),
                standby.address(),
                standby.tls(),
                standby.user(),
                standby.password(),
                standby.connectTimeout());
    }

    /** Creates a pool with the monitor account, or returns null when none is configured. */
    public static @Nullable QueryPool to(PrimaryConfig primary) {
        MonitorConfig monitor = primary.monitor();
        return monitor == null
                ? null
                : new QueryPool(
                        "primary",
                        primary.address(),
                        primary.tls(),
                        monitor.user(),
                        monitor.password(),
                        primary.connectTimeout());
    }

    /** Opens one connection without a pool, for instance for {@code check}. The caller closes it. */
    public static Connection connect(
            Address address, ServerTlsConfig tls, String user, Secret password, Duration connectTimeout)
            throws SQLException {
        return new DriverSource(address, tls, user, password, connectTimeout).getConnection();
    }

    /**
     * Returns a source of unpooled connections to a standby with another account, for rare statements that take long.
     *
     * @param response maximum time for a statement before the connection is closed; zero for no limit
     */
    public static DataSource unpooled(StandbyConfig standby, String user, Secret password, Duration response) {
        return new DriverSource(standby.address(), standby.tls(), user, password, standby.connectTimeout(), response);
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
