package io.understudy.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Socket;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class EmbeddedPairTest {

    private static String query(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getString(1) : "no row";
        }
    }

    @Test
    void replicatesARowSemiSynchronouslyThroughTheDelay() throws Exception {
        Duration rtt = Duration.ofMillis(40);
        try (EmbeddedPair pair = EmbeddedPair.start(PairOptions.defaults().withRtt(rtt))) {
            assertThat(pair.semiSyncClients()).isEqualTo(1);
            pair.createAccount("app", "it's", "SELECT, INSERT, CREATE ON shop.*");
            pair.primary().execute("CREATE DATABASE shop", "CREATE TABLE shop.t (id INT PRIMARY KEY)");
            try (Connection connection = pair.primary().connect();
                    Statement statement = connection.createStatement()) {
                long start = System.nanoTime();
                statement.execute("INSERT INTO shop.t VALUES (42)");
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(rtt);
            }
            pair.awaitCaughtUp(Duration.ofSeconds(20));
            try (Connection connection =
                    java.sql.DriverManager.getConnection(pair.standby().jdbcUrl(), "app", "it's")) {
                assertThat(query(connection, "SELECT id FROM shop.t")).isEqualTo("42");
                assertThatThrownBy(() -> query(connection, "INSERT INTO shop.t VALUES (43) RETURNING id"))
                        .hasMessageContaining("read-only");
            }
            pair.link().pause();
            pair.primary().execute("SET GLOBAL rpl_semi_sync_master_timeout=50", "INSERT INTO shop.t VALUES (44)");
            assertThatThrownBy(() -> pair.awaitCaughtUp(Duration.ofMillis(100)))
                    .isInstanceOf(EmbeddedException.class)
                    .hasMessageContaining("not caught up");
            pair.link().resume();
            pair.awaitCaughtUp(Duration.ofSeconds(20));
            pair.awaitSemiSyncClient();
        }
    }

    @Test
    void serverSurvivesAKillAndARestartAndCleansUp() throws Exception {
        EmbeddedServer server = EmbeddedServer.start(ServerOptions.of(7).withArguments("--performance-schema=ON"));
        try (server) {
            server.execute("CREATE DATABASE d", "CREATE TABLE d.t (id INT)", "INSERT INTO d.t VALUES (1)");
            assertThat(server.socket())
                    .hasValueSatisfying(path -> assertThat(path).exists());
            assertThat(ProcessHandle.of(server.pid())).isPresent();
            long first = server.pid();
            server.kill();
            assertThat(server.isRunning()).isFalse();
            server.restart();
            assertThat(server.pid()).isNotEqualTo(first);
            try (Connection connection = server.connect()) {
                assertThat(query(connection, "SELECT @@server_id")).isEqualTo("7");
                assertThat(query(connection, "SELECT @@performance_schema")).isEqualTo("1");
                assertThat(query(connection, "SELECT id FROM d.t")).isEqualTo("1");
                assertThat(query(connection, "SELECT VERSION()")).startsWith(ServerBinaries.VERSION);
                assertThat(query(connection, "SELECT COUNT(*) FROM mysql.global_priv WHERE User=''"))
                        .isEqualTo("0");
            }
            try (Connection connection = java.sql.DriverManager.getConnection(
                    server.jdbcUrl().replace("sslMode=disable", "sslMode=verify-full&serverSslCert=")
                            + server.certificate(),
                    "root",
                    "")) {
                assertThat(query(
                                connection,
                                "SELECT VARIABLE_VALUE FROM information_schema.SESSION_STATUS"
                                        + " WHERE VARIABLE_NAME='Ssl_version'"))
                        .startsWith("TLSv1.");
            }
            server.freeze();
            try (Socket socket = new Socket()) {
                socket.connect(server.address(), 1000);
                socket.setSoTimeout(300);
                assertThatThrownBy(() -> socket.getInputStream().read())
                        .isInstanceOf(java.net.SocketTimeoutException.class);
                server.thaw();
                socket.setSoTimeout(20_000);
                assertThat(socket.getInputStream().read()).isPositive();
            }
            server.stop();
            assertThat(server.isRunning()).isFalse();
        }
        assertThat(Files.exists(server.log().getParent())).isFalse();
    }

    @Test
    void reportsWhyAServerDoesNotStart() {
        assertThatThrownBy(() -> EmbeddedServer.start(ServerOptions.of(1).withArguments("--no-such-option")))
                .isInstanceOf(EmbeddedException.class)
                .hasMessageContaining("no-such-option");
    }

    @Test
    void reportsAnUnsupportedPlatform() {
        assertThatThrownBy(() -> ServerBinaries.checkPlatform("Mac OS X", "aarch64"))
                .hasMessageStartingWith("understudy demo needs Linux on x86-64")
                .hasMessageContaining("Mac OS X on aarch64");
        assertThatThrownBy(() -> ServerBinaries.locate(ClassLoader.getPlatformClassLoader()))
                .hasMessageStartingWith("understudy demo needs the MariaDB server on the class path");
    }
}
