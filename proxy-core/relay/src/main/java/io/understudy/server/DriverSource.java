package io.understudy.server;

import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import io.understudy.connection.Credentials;
import io.understudy.connection.NameLookup;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.mariadb.jdbc.Driver;

/**
 * Opens connections with MariaDB Connector/J, to servers of both products, for the proxy's own queries. Thread-safe.
 */
public final class DriverSource implements DataSource {
    /** A query takes milliseconds; a server without a response for this long is down. */
    static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(5);

    /** The errors of a login that lacks TLS, of an account or of the server; the first of a wrong password, too. */
    private static final Set<Integer> DEMANDS_TLS = Set.of(1045, 3159);

    /** The state of a refused login, also of one that the driver gives up, as it may not send the password. */
    private static final String REFUSED = "28000";

    /**
     * A server without TLS is asked for it again after this time at the earliest: it counts each handshake that breaks
     * off there towards {@code max_connect_errors}.
     */
    private static final Duration WITHOUT_TLS = Duration.ofMinutes(10);

    private final Driver driver = new Driver();
    private final Supplier<Address> address;
    private final Supplier<Credentials> credentials;
    private final NameLookup names;
    private final Duration connectTimeout;
    private final LongSupplier nanoClock;
    private final Properties properties = new Properties();
    /** The driver has no mode "TLS if offered": it is told to use TLS until the server turns out to have none. */
    private final boolean tlsOptional;

    private final ServerTlsMode tlsMode;
    /** The address of each open connection; compared by identity, as the driver's connections have no equals. */
    private final Map<Connection, Address> opened = Collections.synchronizedMap(new WeakHashMap<>());

    private volatile @Nullable WithoutTls withoutTls;

    /** A server that had no TLS at that time. */
    private record WithoutTls(Address address, long nanos) {}

    /** Connects to a fixed address; for programs that end soon. */
    public DriverSource(Address address, ServerTlsConfig tls, String user, Secret password, Duration connectTimeout) {
        this(address, tls, user, password, connectTimeout, RESPONSE_TIMEOUT);
    }

    /** As above, with another maximum time for a statement; zero for no limit. */
    public DriverSource(
            Address address,
            ServerTlsConfig tls,
            String user,
            Secret password,
            Duration connectTimeout,
            Duration response) {
        this(
                () -> address,
                NameLookup.RUNTIME,
                tls,
                () -> new Credentials(user, password),
                connectTimeout,
                response,
                System::nanoTime);
    }

    /** @param address called for each connection, as {@code credentials} */
    public DriverSource(
            Supplier<Address> address,
            NameLookup names,
            ServerTlsConfig tls,
            Supplier<Credentials> credentials,
            Duration connectTimeout) {
        this(address, names, tls, credentials, connectTimeout, RESPONSE_TIMEOUT, System::nanoTime);
    }

    DriverSource(
            Supplier<Address> address,
            NameLookup names,
            ServerTlsConfig tls,
            Supplier<Credentials> credentials,
            Duration connectTimeout,
            Duration response,
            LongSupplier nanoClock) {
        this.address = address;
        this.nanoClock = nanoClock;
        this.credentials = credentials;
        this.names = names;
        this.connectTimeout = connectTimeout.compareTo(RESPONSE_TIMEOUT) < 0 ? connectTimeout : RESPONSE_TIMEOUT;
        set("connectTimeout", Long.toString(this.connectTimeout.toMillis()));
        set("socketTimeout", Long.toString(response.toMillis()));
        set("connectionAttributes", "program_name:understudy");
        // The server's own limit may hide rows, and then a server without read_only seems to be writable.
        set("sessionVariables", "sql_select_limit=18446744073709551615");
        // Whoever responds at the server's address could send a key of their own, and read the password.
        set("allowPublicKeyRetrieval", "false");
        Path serverKey = tls.serverKey();
        if (serverKey != null) {
            set("serverRsaPublicKeyFile", serverKey.toString());
        }
        set("allowLocalInfile", "false");
        tlsMode = tls.mode();
        tlsOptional = optional(tlsMode);
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

    /** Lets a text have several statements. Before the first connection. */
    public DriverSource allowSeveralStatements() {
        set("allowMultiQueries", "true");
        return this;
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
        Address to = address.get();
        if (!tlsOptional || to.isUnix()) {
            return connect(to, sslMode(tlsMode, to.isUnix()));
        }
        WithoutTls known = withoutTls;
        if (known == null || !known.address.equals(to)) {
            try {
                return connect(to, sslMode(tlsMode, false));
            } catch (SQLException e) {
                if (!saysNoTls(e)) {
                    throw e;
                }
                known = new WithoutTls(to, nanoClock.getAsLong());
                withoutTls = known;
            }
        }
        try {
            return connect(to, "disable");
        } catch (SQLException e) {
            // It may have got a certificate, which it was restarted for, and demand TLS now.
            if (demandsTls(e) && nanoClock.getAsLong() - known.nanos >= WITHOUT_TLS.toNanos()) {
                withoutTls = null;
            }
            throw e;
        }
    }

    /** Returns whether that connection of this source leads to the present address. */
    boolean isCurrent(Connection connection) {
        return address.get().equals(opened.get(connection));
    }

    private static boolean saysNoTls(SQLException e) {
        return String.valueOf(e.getMessage()).contains("ssl not enabled in the server");
    }

    /** The driver itself refuses a plugin that sends the password as clear text, without an error's code. */
    private static boolean demandsTls(SQLException e) {
        return DEMANDS_TLS.contains(e.getErrorCode())
                || REFUSED.equals(e.getSQLState())
                || String.valueOf(e.getMessage()).contains("if SSL is not enabled");
    }

    private Connection connect(Address to, String sslMode) throws SQLException {
        Properties with = new Properties();
        with.putAll(properties);
        Credentials login = credentials.get();
        with.setProperty("user", login.user());
        with.setProperty("password", login.password().reveal());
        with.setProperty("sslMode", sslMode);
        with.setProperty("socketFactory", TargetSocketFactory.class.getName());
        String url = "jdbc:mariadb://" + (to.isUnix() ? "localhost" : to) + "/";
        if (to.isUnix()) {
            with.setProperty(TargetSocketFactory.PATH, to.path());
        } else {
            with.setProperty(TargetSocketFactory.ADDRESS, resolve(to));
            with.setProperty(TargetSocketFactory.PORT, Integer.toString(to.port()));
        }
        try {
            Connection connection = driver.connect(url, with);
            if (connection == null) {
                throw new SQLException("the driver does not take the URL " + url);
            }
            opened.put(connection, to);
            return connection;
        } catch (SQLException e) {
            throw inTheServersTerms(e, to);
        }
    }

    /** The driver speaks of its socket factory, or of its options, where the connection failed. */
    private static SQLException inTheServersTerms(SQLException e, Address to) {
        if (String.valueOf(e.getMessage()).contains("serverRsaPublicKeyFile")) {
            return new SQLNonTransientConnectionException(
                    "cannot log in at " + to + ": the server asks for the password, and this connection has no TLS."
                            + " Set tls: { mode: required } for this server, or verify-ca, or tls.serverKey to a copy"
                            + " of the server's public_key.pem",
                    REFUSED,
                    e);
        }
        for (Throwable at = e; at != null; at = at.getCause() == at ? null : at.getCause()) {
            if (at instanceof IOException || ProbeFailure.isLate(at)) {
                return new SQLNonTransientConnectionException(
                        "cannot connect to " + to + ": " + ProbeFailure.reason(e), "08000", e);
            }
        }
        return e;
    }

    private String resolve(Address to) throws SQLException {
        try {
            return names.lookup(to.host(), connectTimeout).get(0).getHostAddress();
        } catch (IOException e) {
            throw new SQLNonTransientConnectionException(e.getMessage(), "08000", e);
        }
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
