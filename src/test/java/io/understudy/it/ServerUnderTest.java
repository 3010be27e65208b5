package io.understudy.it;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The server that this module's tests share: an embedded MariaDB, started on first use and ended with the JVM, or the
 * server of {@code -Dunderstudy.it.server=host:port,user,password}. That account needs all privileges, and the schema
 * {@code understudy_it} is dropped.
 */
final class ServerUnderTest {
    static final String SCHEMA = "understudy_it";
    private static final String PROPERTY = "understudy.it.server";

    private final InetSocketAddress address;
    private final String user;
    private final String password;

    private ServerUnderTest(InetSocketAddress address, String user, String password) {
        this.address = address;
        this.user = user;
        this.password = password;
    }

    /** Started once per JVM; the class loader's lock ensures it. */
    private static final class Holder {
        static final ServerUnderTest SHARED = open();

        private static ServerUnderTest open() {
            ServerUnderTest server = named();
            server = server == null ? embedded() : server;
            server.prepare();
            return server;
        }
    }

    static ServerUnderTest shared() {
        return Holder.SHARED;
    }

    private static @org.jspecify.annotations.Nullable ServerUnderTest named() {
        String text = System.getProperty(PROPERTY, "");
        if (text.isBlank()) {
            return null;
        }
        String[] parts = text.split(",", -1);
        int colon = parts[0].lastIndexOf(':');
        if (parts.length != 3 || colon < 0) {
            throw new IllegalArgumentException(PROPERTY + "=" + text + ": expected host:port,user,password");
        }
        return new ServerUnderTest(
                new InetSocketAddress(parts[0].substring(0, colon), Integer.parseInt(parts[0].substring(colon + 1))),
                parts[1],
                parts[2]);
    }

    private static ServerUnderTest embedded() {
        // Closed by its own shutdown hook.
        EmbeddedServer server = EmbeddedServer.start(ServerOptions.of(71)
                .withBufferPool("128M")
                .withArguments("--max-allowed-packet=64M", "--local-infile=1", "--innodb-log-file-size=96M"));
        return of(server);
    }

    static ServerUnderTest of(EmbeddedServer server) {
        return new ServerUnderTest(server.address(), "root", "");
    }

    /** Creates an empty schema. A server without MariaDB's sequence engine gets tables instead. */
    void prepare() {
        execute("DROP DATABASE IF EXISTS " + SCHEMA, "CREATE DATABASE " + SCHEMA + " CHARACTER SET utf8mb4");
        if (isMariaDb()) {
            return;
        }
        for (int last : new int[] {3, 5, 1000, 5000, 9000}) {
            execute(
                    "SET SESSION cte_max_recursion_depth = 10000",
                    "CREATE TABLE " + SCHEMA + ".seq_1_to_" + last + " (seq BIGINT UNSIGNED NOT NULL PRIMARY KEY)"
                            + " WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < " + last
                            + ") SELECT n AS seq FROM s");
        }
        execute("CREATE VIEW " + SCHEMA + ".seq_1_to_1000000 AS SELECT (a.seq - 1) * 1000 + b.seq AS seq FROM " + SCHEMA
                + ".seq_1_to_1000 a, " + SCHEMA + ".seq_1_to_1000 b");
    }

    boolean isMariaDb() {
        return String.valueOf(query("SELECT CONCAT(VERSION(), ' ', @@version_comment)"))
                .toLowerCase(java.util.Locale.ROOT)
                .contains("mariadb");
    }

    /** Returns a server that is already running. */
    static ServerUnderTest at(InetSocketAddress address, String user, String password) {
        ServerUnderTest server = new ServerUnderTest(address, user, password);
        server.prepare();
        return server;
    }

    InetSocketAddress address() {
        return address;
    }

    String user() {
        return user;
    }

    String password() {
        return password;
    }

    /** Connects directly, for preparation and checks. */
    Connection connect() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mariadb://" + address.getHostString() + ":" + address.getPort()
                        + "/?sslMode=disable&allowPublicKeyRetrieval=true",
                user,
                password);
    }

    void execute(String... statements) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("cannot prepare the server: " + e.getMessage(), e);
        }
    }

    /** Returns the first column of the first row, or null if there is none. */
    @org.jspecify.annotations.Nullable
    String query(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getString(1) : null;
        } catch (SQLException e) {
            throw new IllegalStateException("cannot ask the server: " + e.getMessage(), e);
        }
    }
}
