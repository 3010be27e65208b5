package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.understudy.config.Address;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.PairOptions;
import java.net.InetSocketAddress;
import java.nio.file.Path;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The proxy follows a change of the primary. {@code -Dunderstudy.it.away=300} sets how many seconds the primary is away
 * where that is measured.
 */
@Tag("quiet")
@Timeout(600)
class FollowTest {
    private static final String PASSWORD = CommitProxy.PASSWORD;
    private static final Duration AWAY = Duration.ofSeconds(Integer.getInteger("understudy.it.away", 3));
    private static final Duration BACK = Duration.ofMillis(1500);
    private static final int ER_SERVER_SHUTDOWN = 1053;

    private static final String RESOLV_CONF = "io.understudy.resolvConf";

    @TempDir
    private Path folder;

    private EmbeddedPair pair;
    private EmbeddedServer old;
    private EmbeddedServer promoted;

    @BeforeEach
    void start() {
        pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false).withRtt(Duration.ZERO));
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

    private String config(String primary, String more) {
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

    private String address(EmbeddedServer server) {
        return "address: \"" + text(server) + "\"";
    }

    private String candidates() {
        return "candidates: [\"" + text(old) + "\", \"" + text(promoted) + "\"]";
    }

    private static String text(EmbeddedServer server) {
        return "127.0.0.1:" + server.port();
    }

    private static Connection connect(InetSocketAddress address) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mariadb://127.0.0.1:" + address.getPort()
                        + "/shop?sslMode=disable&allowPublicKeyRetrieval=true&connectTimeout=1000&socketTimeout=5000",
                "app",
                PASSWORD);
    }

    private static Connection connect(ProxyUnderTest proxy) throws SQLException {
        return connect(proxy.address());
    }

    private static void write(Connection connection, String value) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO t (v) VALUES ('" + value + "')");
        }
    }

    private static int port(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@port")) {
            row.next();
            return row.getInt(1);
        }
    }

    /** Logs in and writes, again and again, until a row is in {@code server}. Returns how long that took. */
    private static Duration untilWritten(ProxyUnderTest proxy, EmbeddedServer server, String value) {
        long begun = System.nanoTime();
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .atMost(Duration.ofSeconds(30))
                .until(() -> isWritten(proxy, server, value));
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    private static boolean isWritten(ProxyUnderTest proxy, EmbeddedServer server, String value) {
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

    /** Waits while the primary is away. */
    private static void stayAway(ProxyUnderTest proxy) {
        await().during(AWAY)
                .atMost(AWAY.plusSeconds(10))
                .until(() -> !proxy.server().notReady().isEmpty());
    }

    private void promote() {
        promoted.execute("STOP SLAVE", "SET GLOBAL read_only=0");
    }

    /** Makes the old primary a standby of the new one. */
    private void demote() {
        old.execute(
                "SET GLOBAL read_only=1",
                "SET GLOBAL gtid_slave_pos='" + old.query("SELECT @@gtid_binlog_pos") + "'",
                "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=" + promoted.port()
                        + ", MASTER_USER='repl', MASTER_PASSWORD='repl', MASTER_USE_GTID=slave_pos, MASTER_SSL=0",
                "START SLAVE");
    }

    private static LostView lost(ProxyUnderTest proxy) {
        return LostView.of(
                Objects.requireNonNull(proxy.server().published().views().get("lost"))
                        .get());
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> standby(ProxyUnderTest proxy, int index) {
        return ((List<Map<String, Object>>) proxy.server().standbysView()).get(index);
    }

    private static void report(String what, Duration took) {
        System.out.println("FIGURE " + what + ": " + took.toMillis() + " ms");
    }

    @Test
    void aReloadMovesIdleSessionsAtOnceAndTransactionsAtTheirEnd() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(
                        config(address(old), "plugins: { black-box: , mirror: , commit-latency: }"));
                Connection idle = connect(proxy);
                Connection working = connect(proxy);
                Connection stuck = connect(proxy)) {
            await().until(() -> proxy.server().notReady().isEmpty());
            assertThat(standby(proxy, 0)).containsEntry("primary", true);
            await().untilAsserted(() -> assertThat(lost(proxy).text("survivor", "name"))
                    .as("not the primary, which is in the list of standbys")
                    .isEqualTo("two"));
            working.setAutoCommit(false);
            write(working, "begun");
            stuck.setAutoCommit(false);
            write(stuck, "stuck");
            promote();

            proxy.reload(config(address(promoted), "plugins: { black-box: , mirror: , commit-latency: }"));
            Duration took = untilWritten(proxy, promoted, "first");
            report("first write after a reload", took);
            assertThat(took).isLessThan(Duration.ofSeconds(1));
            assertThatThrownBy(() -> write(idle, "idle"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getErrorCode()).isEqualTo(ER_SERVER_SHUTDOWN));
            write(working, "ended");
            working.commit();
            assertThat(old.query("SELECT COUNT(*) FROM shop.t WHERE v IN ('begun', 'ended')"))
                    .isEqualTo("2");
            assertThatThrownBy(() -> write(working, "late")).isInstanceOf(SQLException.class);
            await().atMost(Duration.ofSeconds(5)).until(() -> proxy.sessions() == 0);
            assertThat(old.query("SELECT COUNT(*) FROM shop.t WHERE v='stuck'")).isEqualTo("0");

            await().untilAsserted(() -> assertThat(standby(proxy, 1)).containsEntry("primary", true));
            assertThat(standby(proxy, 0)).containsEntry("primary", false);
            assertThat(proxy.server().notReady()).isEmpty();
            assertThat(proxy.count("understudy.primary.changes", "reload")).isEqualTo(1);
            // What was committed on the old primary after the change is lost, and in no binary log that is read.
            await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
                LostView lost = lost(proxy);
                assertThat(lost.text("survivor", "name")).isEqualTo("primary");
                assertThat(lost.text("answeredAndMissing", "notCaptured")).isEqualTo("1");
                assertThat(lost.text("primary", "why")).isEqualTo("the primary has changed");
            });
            // The binary log of the new primary is read.
            int kept = Integer.parseInt(lost(proxy).text("kept", "transactions"));
            try (Connection next = connect(proxy)) {
                write(next, "next");
            }
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> Integer.parseInt(lost(proxy).text("kept", "transactions")) > kept);
        }
    }

    @Test
    void anOperatorNamesTheNewPrimary() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), ""))) {
            promote();
            assertThat(proxy.server().choosePrimary(Address.parse(text(promoted))))
                    .containsEntry("address", text(promoted))
                    .containsEntry("reason", "api");
            report("first write after POST /api/primary", untilWritten(proxy, promoted, "first"));
            assertThat(proxy.count("understudy.primary.changes", "api")).isEqualTo(1);
            // The file has not changed: a reload of it does not undo what the operator chose.
            proxy.reload(config(address(old), ""));
            assertThat(proxy.server().primaryView()).containsEntry("address", text(promoted));
        }
    }

    @Test
    void theWritableCandidateIsFollowedAfterAKill() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(candidates(), ""))) {
            assertThat(untilWritten(proxy, old, "before")).isLessThan(Duration.ofSeconds(2));
            old.kill();
            await().atMost(Duration.ofSeconds(3))
                    .until(() -> proxy.server().notReady().toString().contains("none of the candidates is writable"));
            promote();
            Duration took = untilWritten(proxy, promoted, "after");
            report("first write after a kill, by candidates", took);
            assertThat(took).isLessThan(Duration.ofMillis(1500));
            await().until(() -> proxy.server().notReady().isEmpty());

            old.restart();
            await().atMost(Duration.ofSeconds(5))
                    .until(() -> proxy.server().warnings().toString().contains("split"));
            assertThat(proxy.server().primaryView())
                    .containsEntry("address", text(promoted))
                    .containsEntry("verdict", "split");
            assertThat(proxy.server().notReady()).isEmpty();
            demote();
            await().atMost(Duration.ofSeconds(5))
                    .until(() -> proxy.server().warnings().isEmpty());
            assertThat(untilWritten(proxy, promoted, "later")).isLessThan(Duration.ofSeconds(2));
        }
    }

    @Test
    void theWritableCandidateIsFollowedInAPlannedChange() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(candidates(), ""))) {
            untilWritten(proxy, old, "before");
            old.execute("SET GLOBAL read_only=1");
            pair.awaitCaughtUp(Duration.ofSeconds(10));
            promote();
            Duration took = untilWritten(proxy, promoted, "after");
            report("first write after a planned change, by candidates", took);
            assertThat(took).isLessThan(Duration.ofMillis(1500));
            assertThat(proxy.count("understudy.primary.changes", "candidate")).isEqualTo(1);
            demote();
            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(
                            () -> assertThat(String.valueOf(standby(proxy, 0).get("state")))
                                    .contains("readOnly=true")
                                    .contains("lagSeconds=0"));
            assertThat(standby(proxy, 0)).containsEntry("primary", false);
            // The first candidate has stood for an address so far, and the file names it now.
            proxy.reload(config(address(old), ""));
            assertThat(proxy.server().primaryView())
                    .containsEntry("address", text(old))
                    .containsEntry("reason", "reload");
        }
    }

    @Test
    void aFrozenPrimaryIsNamedAndLeftForTheWritableCandidate() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(candidates(), ""))) {
            untilWritten(proxy, old, "before");
            old.freeze();
            try {
                assertThatThrownBy(() -> connect(proxy)).isInstanceOf(SQLException.class);
                try (RawClient client = RawClient.open(proxy.address())) {
                    assertThat(client.read().errorText())
                            .contains("no response from primary")
                            .contains("frozen");
                }
                await().atMost(Duration.ofSeconds(6))
                        .until(() -> !proxy.server().notReady().isEmpty());
                promote();
                Duration took = untilWritten(proxy, promoted, "after");
                report("first write after SIGSTOP, by candidates", took);
                assertThat(took).isLessThan(Duration.ofMillis(1500));
            } finally {
                old.thaw();
            }
        }
    }

    @Test
    void aPrimaryThatIsBackMakesTheProxyReadyAtOnce() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), ""))) {
            await().until(() -> proxy.server().notReady().isEmpty());
            old.kill();
            await().atMost(Duration.ofSeconds(3))
                    .until(() -> !proxy.server().notReady().isEmpty());
            stayAway(proxy);
            old.restart();
            report("ready after a kill and " + AWAY.toSeconds() + " s away", untilReady(proxy));

            old.freeze();
            await().atMost(Duration.ofSeconds(6))
                    .until(() -> !proxy.server().notReady().isEmpty());
            assertThat(proxy.server().notReady().toString()).contains("frozen");
            stayAway(proxy);
            old.thaw();
            report("ready after SIGSTOP and " + AWAY.toSeconds() + " s away", untilReady(proxy));
        }
    }

    @Test
    void theBinaryLogOfAPrimaryThatIsBackIsReadOn() throws Exception {
        try (ProxyUnderTest proxy =
                ProxyUnderTest.start(config(address(old), "plugins: { black-box: { poll: 100ms } }"))) {
            await().until(() -> isRead(proxy));
            old.kill();
            await().atMost(Duration.ofSeconds(3)).until(() -> !isRead(proxy));
            stayAway(proxy);
            old.restart();
            long begun = System.nanoTime();
            await().pollInterval(Duration.ofMillis(10))
                    .atMost(Duration.ofSeconds(70))
                    .until(() -> isRead(proxy));
            Duration took = Duration.ofNanos(System.nanoTime() - begun);
            report("binary log read on after a kill and " + AWAY.toSeconds() + " s away", took);
            assertThat(took).isLessThan(Duration.ofMillis(2500));
        }
    }

    private static boolean isRead(ProxyUnderTest proxy) {
        return LostView.of(Views.of(proxy.server().published(), "lost"))
                .text("primary", "read")
                .equals("true");
    }

    /** The primary is back. */
    private static Duration untilReady(ProxyUnderTest proxy) {
        long begun = System.nanoTime();
        await().pollInterval(Duration.ofMillis(10))
                .atMost(Duration.ofSeconds(40))
                .until(() -> proxy.server().notReady().isEmpty());
        Duration took = Duration.ofNanos(System.nanoTime() - begun);
        assertThat(took).isLessThan(BACK);
        return took;
    }

    @Test
    void aNameThatMovesIsFollowedByAllConnections() throws Exception {
        int ttl = 2;
        try (ScriptedNameServer names = new ScriptedNameServer();
                Forwarder one = new Forwarder(2, 0, old.address());
                Forwarder two = new Forwarder(3, one.port(), promoted.address())) {
            System.setProperty(RESOLV_CONF, names.resolvConf(folder).toString());
            names.move(2, ttl);
            String primary = "address: \"db.example:" + two.port() + "\"";
            try (ProxyUnderTest proxy = ProxyUnderTest.start(config(primary, "plugins: { black-box: }"));
                    Connection idle = connect(proxy)) {
                await().until(() -> proxy.server().notReady().isEmpty());
                await().until(() -> Boolean.TRUE.equals(standby(proxy, 0).get("primary")));
                promote();
                names.move(3, ttl);
                Duration took = untilWritten(proxy, promoted, "moved");
                report("first write after a name with TTL 2 s has moved", took);
                assertThat(took).isLessThan(Duration.ofSeconds(ttl + 1));
                await().until(() -> Boolean.TRUE.equals(standby(proxy, 1).get("primary")));
                assertThat(standby(proxy, 0)).containsEntry("primary", false);
                assertThatThrownBy(() -> write(idle, "idle")).isInstanceOf(SQLException.class);
                assertThat(proxy.count("understudy.primary.changes", "dns")).isEqualTo(1);
                await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
                    LostView lost = lost(proxy);
                    assertThat(lost.text("survivor", "name")).isEqualTo("primary");
                });
            }
        } finally {
            System.clearProperty(RESOLV_CONF);
        }
    }

    /** The former server still runs. */
    @Test
    void aStandbysNameThatMovesIsFollowedByAllConnections() throws Exception {
        int ttl = 1;
        try (ScriptedNameServer names = new ScriptedNameServer();
                Forwarder one = new Forwarder(2, 0, promoted.address());
                Forwarder two = new Forwarder(3, one.port(), old.address())) {
            System.setProperty(RESOLV_CONF, names.resolvConf(folder).toString());
            names.move(2, ttl);
            String config = """
                    listen: { address: "127.0.0.1:0" }
                    primary: { %s, tls: { mode: disabled }, monitor: { user: monitor, password: %s } }
                    standbys:
                      - { name: one, address: "db.example:%d", tls: { mode: disabled }, user: monitor, password: %s }
                    admin: { enabled: false }
                    plugins: { mirror: { rules: [{ name: all, sample: 100%% }] } }
                    """.formatted(address(old), PASSWORD, two.port(), PASSWORD);
            try (ProxyUnderTest proxy = ProxyUnderTest.start(config);
                    Connection client = connect(proxy);
                    Statement reads = client.createStatement()) {
                await().atMost(Duration.ofSeconds(20)).until(() -> {
                    reads.executeQuery("SELECT COUNT(*) FROM t").close();
                    return connections(promoted) > 1; // of the probe, and of the mirror
                });
                names.move(3, ttl);
                await().atMost(Duration.ofSeconds(10))
                        .until(() -> Boolean.TRUE.equals(standby(proxy, 0).get("primary")));
                await().until(() -> connections(promoted) == 0);
            }
        } finally {
            System.clearProperty(RESOLV_CONF);
        }
    }

    private static int connections(EmbeddedServer server) {
        return Integer.parseInt(
                server.query("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER='monitor'"));
    }

    @Test
    void troubleWithTheMonitorsAccountIsAWarning() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), ""))) {
            await().until(() -> proxy.server().notReady().isEmpty());
            old.execute("ALTER USER monitor@'%' IDENTIFIED BY 'another'", "FLUSH PRIVILEGES");
            old.execute("KILL USER monitor@'%'");
            await().atMost(Duration.ofSeconds(5))
                    .until(() -> proxy.server().warnings().toString().contains("primary.monitor"));
            assertThat(proxy.server().notReady()).isEmpty();
        }
    }
}
