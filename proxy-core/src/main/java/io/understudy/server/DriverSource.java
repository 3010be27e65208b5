package io.understudy.server;

import io.understudy.config.Address;
import io.understudy.config.Secret;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.mariadb.jdbc.Driver;

/**
 * Opens connections with MariaDB Connector/J, to servers of both products, for the proxy's own queries. Thread-safe.
 */
final class DriverSource implements DataSource {
    /** A query takes milliseconds; a server without a response for this long is down. */
    private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(5);

    private final Driver driver = new Driver();
    private final String url;
    private final Properties properties = new Properties();
    /** The driver has no mode "TLS if offered": it is told to use TLS until the server turns out to have none. */
    private final boolean tlsOptional;

    private volatile boolean withoutTls;

    DriverSource(Address address, ServerTlsConfig tls, String user, Secret password, Duration connectTimeout) {
        this(address, tls, user, password, connectTimeout, RESPONSE_TIMEOUT);
    }

    /** @param response maximum time for a statement before the connection is closed; zero for no limit */
    DriverSource(
            Address address,
            ServerTlsConfig tls,
            String user,
            Secret password,
            Duration connectTimeout,
            Duration response) {
        url = address.isUnix() ? "jdbc:mariadb://localhost/" : "jdbc:mariadb://" + address + "/";
        set("user", user);
        set("password", password.reveal());
        set("connectTimeout", Long.toString(Math.min(connectTimeout.toMillis(), RESPONSE_TIMEOUT.toMillis())));
        set("socketTimeout", Long.toString(response.toMillis()));
        set("connectionAttributes", "program_name:understudy");
        set("allowPublicKeyRetrieval", "true");
        set("allowLocalInfile", "false");
        if (address.isUnix()) {
            set("socketFactory", UnixSocketFactory.class.getName());
            set(UnixSocketFactory.PATH, address.path());
        }
        tlsOptional = optional(tls.mode()) && !address.isUnix();
        set("sslMode", sslMode(tls.mode(), address.isUnix()));
        Path ca = tls.ca();
        if (ca != null && tls.mode().verifies()) {
            set("serverSslCert", ca.toString());
        }
        Path certificate = tls.certificate();
        Path key = tls.key();
        if (certificate != null && key != null && tls.mode() != ServerTlsMode.DISABLED) {
            set("tlsSocketType", PemTls.TYPE);
            set(PemTls.CERTIFICATE, certificate.toString());
            set(PemTls.KEY, key.toString());
        }
    }

    private void set(String name, String value) {
        properties.setProperty(name, value);
    }

    private static boolean optional(ServerTlsMode mode) {
        return mode == ServerTlsMode.PREFERRED || mode == ServerTlsMode.AS_CLIENT;
    }

    private static String sslMode(ServerTlsMode mode, boolean unix) {
        return switch (mode) {
            case DISABLED -> "disable";
            case PREFERRED, AS_CLIENT -> unix ? "disable" : "trust";
            case REQUIRED -> "trust";
            case VERIFY_CA -> "verify-ca";
            case VERIFY_FULL -> "verify-full";
        };
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (!tlsOptional) {
            return connect(properties);
        }
        if (!withoutTls) {
            try {
                return connect(properties);
            } catch (SQLException e) {
                if (!saysNoTls(e)) {
                    throw e;
                }
                withoutTls = true;
            }
        }
        Properties plain = new Properties();
        plain.putAll(properties);
        plain.setProperty("sslMode", "disable");
        return connect(plain);
    }

    private static boolean saysNoTls(SQLException e) {
        return String.valueOf(e.getMessage()).contains("ssl not enabled in the server");
    }

    private Connection connect(Properties with) throws SQLException {
        Connection connection = driver.connect(url, with);
        if (connection == null) {
            throw new SQLException("the driver does not take the URL " + url);
        }
        return connection;
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the account is fixed by the configuration");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("wraps nothing");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
