package io.understudy.it;

import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.PairOptions;
import io.understudy.embedded.ServerOptions;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** A pair of servers of which one is promoted, and the connections of a client to the proxy before them. */
@Tag("quiet")
@Timeout(600)
abstract class FollowingProxy {
    static final String PASSWORD = CommitProxy.PASSWORD;

    EmbeddedPair pair;
    EmbeddedServer old;
    EmbeddedServer promoted;

    PairOptions options() {
        return PairOptions.defaults()
                .withSemiSync(false)
                .withRtt(Duration.ZERO)
                .withPrimary(ServerOptions.of(1).withArguments("--max-connections=1000"));
    }

    @BeforeEach
    void start() {
        pair = EmbeddedPair.start(options());
        old = pair.primary();
        promoted = pair.standby();
        pair.createAccount("app", PASSWORD, "ALL ON shop.*");
        pair.createAccount("monitor", PASSWORD, "SELECT, REPLICATION SLAVE, BINLOG MONITOR, REPLICA MONITOR ON *.*");
        old.execute("CREATE DATABASE shop", "CREATE TABLE shop.t (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(20))");
        pair.awaitCaughtUp(Duration.ofSeconds(30));
    }

    @AfterEach
    void stop() {
        pair.close();
    }

    String config(String primary, String more) {
        return """
                listen: { address: "127.0.0.1:0" }
                primary:
                  %s
                  tls: { mode: disabled }
                  monitor: { user: monitor, password: %s }
                standbys:
                  - { name: one, address: "%s", tls: { mode: disabled }, user: monitor, password: %s }
                  - { name: two, address: "%s", tls: { mode: disabled }, user: monitor, password: %s }
                admin: { enabled: false }
                limits: { drainTimeout: 2s, handshakeTimeout: 2s }
                %s
                """.formatted(primary, PASSWORD, text(old), PASSWORD, text(promoted), PASSWORD, more);
    }

    String address(EmbeddedServer server) {
        return "address: \"" + text(server) + "\"";
    }

    static String text(EmbeddedServer server) {
        return "127.0.0.1:" + server.port();
    }

    static Connection connect(InetSocketAddress address) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mariadb://127.0.0.1:" + address.getPort()
                        + "/shop?sslMode=disable&allowPublicKeyRetrieval=true&connectTimeout=1000&socketTimeout=5000",
                "app",
                PASSWORD);
    }

    static Connection connect(ProxyUnderTest proxy) throws SQLException {
        return connect(proxy.address());
    }

    static void write(Connection connection, String value) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO t (v) VALUES ('" + value + "')");
        }
    }

    static int port(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@port")) {
            row.next();
            return row.getInt(1);
        }
    }

    /** Logs in and writes, again and again, until a row is in {@code server}. Returns how long that took. */
    static Duration untilWritten(ProxyUnderTest proxy, EmbeddedServer server, String value) {
        long begun = System.nanoTime();
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .atMost(Duration.ofSeconds(30))
                .until(() -> isWritten(proxy, server, value));
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    static boolean isWritten(ProxyUnderTest proxy, EmbeddedServer server, String value) {
        try (Connection connection = connect(proxy)) {
            if (port(connection) != server.port()) {
                return false;
            }
            write(connection, value);
            return true;
        } catch (SQLException e) {
            return false;
        }
    }

    void promote() {
        promoted.execute("STOP SLAVE", "SET GLOBAL read_only=0");
    }

    static LostView lost(ProxyUnderTest proxy) {
        return LostView.of(
                Objects.requireNonNull(proxy.server().published().views().get("lost"))
                        .get());
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> standby(ProxyUnderTest proxy, int index) {
        return ((List<Map<String, Object>>) proxy.server().standbysView()).get(index);
    }

    static void report(String what, Duration took) {
        System.out.println("FIGURE " + what + ": " + took.toMillis() + " ms");
    }
}
