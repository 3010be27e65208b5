package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.host.PluginTypes;
import io.understudy.runtime.RunningProxy;
import io.understudy.switchover.ChangeOutcome;
import io.understudy.testkit.FreePort;
import io.understudy.unplanned.Failover;
import io.understudy.unplanned.FailoverOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code failover} on MySQL: {@code -Dunderstudy.it.mysql=DIR}. */
@EnabledIfSystemProperty(named = MySqlSemiSyncPair.PROPERTY, matches = ".+")
@Timeout(300)
class FailoverMySqlTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String PASSWORD = CommitProxy.PASSWORD;

    private static void execute(Connection on, String... statements) throws SQLException {
        try (Statement statement = on.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static Set<String> column(Connection on, String sql) throws SQLException {
        Set<String> all = new TreeSet<>();
        try (Statement statement = on.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                all.add(String.valueOf(rows.getString(rows.getMetaData().getColumnCount())));
            }
        }
        return all;
    }

    private static LoadedConfig config(MySqlSemiSyncPair pair, PluginTypes plugins) throws Exception {
        int admin = FreePort.next();
        return ConfigLoader.load(
                """
                listen: { address: "127.0.0.1:0" }
                primary:
                  address: "127.0.0.1:%1$d"
                  tls: { mode: preferred }
                  monitor: { user: monitor, password: %3$s }
                standbys:
                  - { name: two, address: "127.0.0.1:%2$d", tls: { mode: preferred }, user: monitor, password: %3$s }
                admin: { address: "127.0.0.1:%4$d", token: a-token-of-fair-length }
                switchover: { user: switcher, password: %3$s }
                plugins:
                  black-box: { poll: 100ms }
                """.formatted(pair.address().getPort(), pair.replica().getPort(), PASSWORD, admin),
                "test.yaml",
                plugins.records(),
                name -> null);
    }

    private static String run(LoadedConfig loaded, ChangeOutcome expected) throws Exception {
        StringWriter out = new StringWriter();
        FailoverOptions options = new FailoverOptions(false, PATIENCE, Set.of(), null);
        try (Failover failover = Failover.to("two", loaded.config(), options, new PrintWriter(out, true))) {
            assertThat(failover.run()).as(out.toString()).isEqualTo(expected);
        }
        return out.toString();
    }

    /** @param compressed {@code binlog_transaction_compression}: a transaction's events come as one, compressed */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatWasAnsweredIsThere(boolean compressed) throws Exception {
        PluginTypes plugins = PluginTypes.installed();
        try (MySqlSemiSyncPair pair = new MySqlSemiSyncPair();
                Connection one = pair.connect();
                Connection two = pair.connectReplica()) {
            execute(
                    one,
                    "SET GLOBAL rpl_semi_sync_source_enabled = OFF",
                    "SET GLOBAL binlog_transaction_compression = " + (compressed ? "ON" : "OFF"),
                    "CREATE TABLE shop.t (w INT, n INT, filler VARCHAR(60), PRIMARY KEY (w, n))",
                    "CREATE TABLE shop.big (id INT PRIMARY KEY, v VARCHAR(300))",
                    "GRANT SELECT, SHOW VIEW, TRIGGER, EVENT, REPLICATION CLIENT, PROCESS ON *.* TO monitor",
                    "CREATE USER switcher IDENTIFIED BY '" + PASSWORD + "'",
                    "GRANT SYSTEM_VARIABLES_ADMIN, REPLICATION CLIENT, REPLICATION_SLAVE_ADMIN, RELOAD, EVENT,"
                            + " SET_ANY_DEFINER, REPLICATION_APPLIER, CONNECTION_ADMIN, CREATE, ALTER, DROP, INDEX,"
                            + " INSERT, UPDATE, DELETE ON *.* TO switcher",
                    "CREATE EVENT shop.by_one_with_system_user ON SCHEDULE EVERY 1 DAY DO SELECT 1");
            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() ->
                            column(two, "SHOW GRANTS FOR switcher").toString().contains("REPLICATION_APPLIER"));
            execute(two, "SET GLOBAL super_read_only = 1");
            LoadedConfig loaded = config(pair, plugins);
            try (RunningProxy proxy = RunningProxy.start(loaded, plugins, () -> loaded)) {
                InetSocketAddress address =
                        (InetSocketAddress) proxy.proxy().addresses().get(0);
                Writers writers = Writers.start(
                        4,
                        () -> DriverManager.getConnection(
                                "jdbc:mariadb://127.0.0.1:" + address.getPort()
                                        + "/shop?sslMode=disable&allowPublicKeyRetrieval=true",
                                "app",
                                PASSWORD));
                writers.awaitRows(200);
                execute(one, "SET binlog_format = STATEMENT", "CREATE TEMPORARY TABLE shop.tt (id INT)");
                pair.link().refuse();
                pair.link().cut();
                execute(
                        one,
                        "CREATE TABLE shop.made (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(20))",
                        "INSERT INTO shop.made (v) VALUES ('größer ☃')",
                        "FLUSH BINARY LOGS",
                        "INSERT INTO shop.made (v) VALUES ('by statement')",
                        "CREATE TEMPORARY TABLE shop.tu (id INT)",
                        "INSERT INTO shop.tu VALUES (1)",
                        "DROP TEMPORARY TABLE shop.tt, shop.tu",
                        "FLUSH BINARY LOGS",
                        "SET binlog_format = ROW, SESSION cte_max_recursion_depth = 20000",
                        "INSERT INTO shop.big WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE"
                                + " n < 10000) SELECT n, REPEAT('x', 250) FROM s");
                String content =
                        column(one, "CHECKSUM TABLE shop.made").toString() + column(one, "CHECKSUM TABLE shop.big");
                writers.awaitMore(100); // which the replica lacks
                pair.killSource();
                Set<String> answered = writers.join();

                StringWriter looked = new StringWriter();
                FailoverOptions options = new FailoverOptions(false, PATIENCE, Set.of(), null);
                int notCaptured; // what the primary told its client as it was killed
                ChangeOutcome expected;
                try (Failover failover = Failover.to("two", loaded.config(), options, new PrintWriter(looked, true))) {
                    assertThat(failover.rehearse()).as(looked.toString()).isEqualTo(ChangeOutcome.LEFT);
                    assertThat(looked.toString()).contains("GRANT SYSTEM_USER ON *.* TO 'switcher'@'%'");
                    execute(
                            two,
                            "SET GLOBAL super_read_only = 0",
                            "SET SESSION sql_log_bin = 0",
                            "GRANT SYSTEM_USER ON *.* TO switcher",
                            "SET GLOBAL super_read_only = 1");
                    ChangeOutcome rehearsed = failover.rehearse();
                    Matcher matcher = FailoverServerTest.NOT_CAPTURED.matcher(looked.toString());
                    notCaptured = matcher.find() ? Integer.parseInt(matcher.group(1)) : 0;
                    expected = notCaptured == 0 ? ChangeOutcome.DONE : ChangeOutcome.LOST;
                    assertThat(rehearsed).as(looked.toString()).isEqualTo(expected);
                }
                System.out.println(looked);
                String said = run(loaded, expected);
                System.out.println(said);
                Set<String> missing = new HashSet<>(answered);
                missing.removeAll(column(two, "SELECT CONCAT(w, '-', n) FROM shop.t"));
                assertThat(missing).hasSize(notCaptured);
                assertThat(column(two, "CHECKSUM TABLE shop.made").toString() + column(two, "CHECKSUM TABLE shop.big"))
                        .isEqualTo(content);
                assertThat(column(two, "SELECT @@GLOBAL.super_read_only + @@GLOBAL.read_only"))
                        .containsExactly("0");
                assertThat(run(loaded, expected)).contains("was promoted before");
            }
        }
    }
}
