package io.understudy.embedded;

import io.understudy.embedded.ServerBinaries.DataTemplate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A MariaDB 11.4 server on 127.0.0.1. Its data are in a temporary folder, which {@link #close} deletes.
 * {@code root@127.0.0.1} has no password. The binary log uses row format and GTIDs. Durability is off, because the data
 * are temporary. Thread-safe, except that start, stop and close must not run concurrently.
 */
public final class EmbeddedServer implements AutoCloseable {

    /** Linux limits the path of a Unix socket to 107 bytes. */
    private static final int LONGEST_SOCKET_PATH = 107;

    private static final int PORT_ATTEMPTS = 5;

    private final ServerOptions options;
    private final Path base;
    private final ServerCertificate certificate;
    private final Path home;
    private final Thread shutdownHook;
    private int port;
    private volatile ServerProcess process;

    private EmbeddedServer(ServerOptions options) throws IOException {
        ServerBinaries binaries = ServerBinaries.prepare();
        this.options = options;
        this.base = binaries.base();
        this.certificate = binaries.certificate();
        this.home = Files.createTempDirectory("understudy-db-");
        try {
            binaries.copyDataTo(data());
            Files.writeString(initFile(), """
                    SET SESSION sql_log_bin=0;
                    CREATE OR REPLACE USER root@'127.0.0.1' IDENTIFIED BY '';
                    GRANT ALL ON *.* TO root@'127.0.0.1' WITH GRANT OPTION;
                    """);
            this.process = launchOnFreePort();
        } catch (IOException | RuntimeException e) {
            Folders.delete(home);
            throw e;
        }
        this.shutdownHook = new Thread(this::abandon, "embedded-server-cleanup");
        Runtime.getRuntime().addShutdownHook(shutdownHook);
    }

    /**
     * Starts a server and returns when it accepts connections: within a second, or some ten seconds the first time on a
     * machine.
     *
     * @throws EmbeddedException if the start fails, with the end of the server's log
     */
    public static EmbeddedServer start(ServerOptions options) {
        try {
            return new EmbeddedServer(options);
        } catch (IOException e) {
            throw new EmbeddedException(
                    "cannot start the embedded MariaDB server " + options.serverId() + ": " + e.getMessage(), e);
        }
    }

    public int port() {
        return port;
    }

    public InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** Returns the Unix socket; empty if the temporary folder's path is too long for one. */
    public Optional<Path> socket() {
        Path socket = home.resolve("s");
        return socket.toString().length() <= LONGEST_SOCKET_PATH ? Optional.of(socket) : Optional.empty();
    }

    /** Returns the server's error log. */
    public Path log() {
        return home.resolve("error.log");
    }

    /** Returns the server's self-signed certificate (PEM), issued for localhost and 127.0.0.1. */
    public Path certificate() {
        return certificate.certificate();
    }

    /** Returns the URL for MariaDB Connector/J, without schema, user or password. */
    public String jdbcUrl() {
        return "jdbc:mariadb://127.0.0.1:" + port + "/?sslMode=disable";
    }

    /** Opens a new connection as root. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(jdbcUrl(), "root", "");
    }

    /** Runs statements as root over one new connection. */
    public void execute(String... statements) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new EmbeddedException("embedded server " + options.serverId() + ": " + e.getMessage(), e);
        }
    }

    /** Runs a query as root. Returns the first column of the first row, or an empty text. */
    public String query(String sql) {
        List<Map<String, String>> rows = rows(sql);
        return rows.isEmpty() ? "" : rows.get(0).values().iterator().next();
    }

    /** Returns a status counter, or 0 if there is none of that name. */
    public long status(String name) {
        String value =
                query("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME='" + name + "'");
        return value.isEmpty() ? 0 : Long.parseLong(value);
    }

    /** Runs a query as root. Returns the rows by the lower-case names of their columns; NULL is an empty text. */
    public List<Map<String, String>> rows(String sql) {
        try (Connection connection = connect()) {
            return rows(connection, sql);
        } catch (SQLException e) {
            throw new EmbeddedException("embedded server on port " + port + ": " + e.getMessage(), e);
        }
    }

    /** Returns the state of its replication, by lower-case names of columns; empty if it is no replica. */
    public Map<String, String> replication() {
        return rows("SHOW ALL SLAVES STATUS").stream().findFirst().orElse(Map.of());
    }

    /** As {@link #rows(String)}, over a connection. */
    public static List<Map<String, String>> rows(Connection connection, String sql) throws SQLException {
        List<Map<String, String>> all = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                Map<String, String> row = new LinkedHashMap<>();
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    String value = rows.getString(i);
                    row.put(rows.getMetaData().getColumnLabel(i).toLowerCase(Locale.ROOT), value == null ? "" : value);
                }
                all.add(row);
            }
        }
        return all;
    }

    /** Returns the process id of the current or, if stopped, the last server process. */
    public long pid() {
        return process.pid();
    }

    public boolean isRunning() {
        return process.isAlive();
    }

    /** Shuts the server down (SIGTERM). The data stay for {@link #restart()}. */
    public void stop() {
        process.stop();
    }

    /** Crashes the server (SIGKILL). The data stay for {@link #restart()}. */
    public void kill() {
        process.kill();
    }

    /** Suspends the server (SIGSTOP). Connections stay open without responses. */
    public void freeze() {
        process.freeze();
    }

    /** Continues the server after {@link #freeze()} (SIGCONT). */
    public void thaw() {
        process.thaw();
    }

    /** Starts the server again after {@link #stop()} or {@link #kill()}, on the same port with the same data. */
    public void restart() {
        if (process.isAlive()) {
            throw new EmbeddedException("embedded server " + options.serverId() + " still runs; stop or kill it first");
        }
        try {
            process = launch();
        } catch (IOException e) {
            throw new EmbeddedException(
                    "cannot restart the embedded MariaDB server " + options.serverId() + " on port " + port + ": "
                            + e.getMessage(),
                    e);
        }
    }

    /** Kills the server and removes its data. No orderly shutdown is needed, because the data are discarded. */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(shutdownHook);
        } catch (IllegalStateException shuttingDown) {
            // The shutdown hook runs or has run; running its work twice is harmless.
        }
        abandon();
    }

    private void abandon() {
        process.kill();
        try {
            Folders.delete(home);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path data() {
        return home.resolve("data");
    }

    private Path initFile() {
        return home.resolve("init.sql");
    }

    private ServerProcess launchOnFreePort() throws IOException {
        for (int attempt = 1; ; attempt++) {
            try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                port = probe.getLocalPort();
            }
            try {
                return launch();
            } catch (ServerProcess.PortTaken e) {
                if (attempt == PORT_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private ServerProcess launch() throws IOException {
        Path temporary = Files.createDirectories(home.resolve("tmp"));
        List<String> command = new ArrayList<>(List.of(
                base.resolve("bin/mariadbd").toString(),
                "--no-defaults",
                "--basedir=" + base,
                "--lc-messages-dir=" + base.resolve("share"),
                "--datadir=" + data(),
                "--tmpdir=" + temporary,
                "--port=" + port,
                "--bind-address=127.0.0.1",
                "--skip-name-resolve",
                // Relative to the data folder if the absolute path would be too long.
                "--socket=" + socket().map(Path::toString).orElse("s"),
                "--ssl-cert=" + certificate.certificate(),
                "--ssl-key=" + certificate.key(),
                "--pid-file=" + home.resolve("pid"),
                "--init-file=" + initFile(),
                "--server-id=" + options.serverId(),
                "--log-bin=binlog",
                "--relay-log=relay",
                "--binlog-format=ROW",
                "--gtid-strict-mode=1",
                "--log-slave-updates=1",
                "--performance-schema=OFF",
                "--innodb-buffer-pool-size=" + options.bufferPool(),
                "--innodb-log-file-size=" + DataTemplate.LOG_FILE_SIZE,
                "--innodb-flush-log-at-trx-commit=2",
                "--sync-binlog=0",
                "--innodb-doublewrite=0"));
        if (ServerProcess.runsAsRoot()) {
            command.add("--user=root");
        }
        command.addAll(options.arguments());
        return ServerProcess.start(command, log());
    }
}
