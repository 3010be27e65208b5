package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The live causal check between a MySQL primary and its replica. */
@Timeout(300)
@EnabledIfSystemProperty(named = MySqlSemiSyncPair.PROPERTY, matches = ".+")
class MirrorVerifyMySqlTest {
    private static final Duration MOST = Duration.ofSeconds(90);

    private static void read(Connection client, int id) throws SQLException {
        try (Statement statement = client.createStatement();
                PreparedStatement prepared = client.prepareStatement("SELECT name FROM items WHERE id = ?")) {
            statement
                    .executeQuery("SELECT id, name FROM items WHERE id = " + id)
                    .close();
            prepared.setInt(1, id);
            prepared.executeQuery().close();
        }
    }

    private static void until(MirrorProxy proxy, Connection client, int id, String outcome, int more) {
        double before = proxy.count("understudy.mirror.verified", "outcome", outcome);
        await().atMost(MOST).pollInterval(Duration.ofMillis(50)).untilAsserted(() -> {
            read(client, id);
            assertThat(proxy.count("understudy.mirror.verified", "outcome", outcome))
                    .as("%s", String.valueOf(proxy.view()).replaceAll(".*verify=", ""))
                    .isGreaterThanOrEqualTo(before + more);
        });
    }

    private static void execute(Connection connection, String... statements) throws SQLException {
        try (connection;
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    @Test
    void plantedRowsAreFoundAndWritesAreNot() throws Exception {
        try (MySqlSemiSyncPair pair = new MySqlSemiSyncPair()) {
            String password = MirrorProxy.PASSWORD;
            for (String user : List.of("understudy", "understudy_mirror", "app")) {
                execute(
                        pair.connect(),
                        "CREATE USER IF NOT EXISTS " + user + " IDENTIFIED BY '" + password + "'",
                        "ALTER USER " + user + " IDENTIFIED BY '" + password + "'",
                        "GRANT ALL ON *.* TO " + user);
                MySqlSemiSyncPair.logIn(pair.address(), user, password);
                MySqlSemiSyncPair.logIn(pair.replica(), user, password);
            }
            execute(
                    pair.connect(),
                    "REVOKE ALL ON *.* FROM understudy_mirror",
                    "GRANT SELECT, REPLICATION CLIENT ON *.* TO understudy_mirror",
                    "CREATE TABLE shop.items (id INT PRIMARY KEY, name VARCHAR(50))",
                    "INSERT INTO shop.items VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four')");
            try (Connection replica = pair.connectReplica();
                    Statement statement = replica.createStatement()) {
                await().atMost(MOST)
                        .ignoreExceptions()
                        .until(() -> CommitHarness.query(statement, "SELECT COUNT(*) FROM shop.items")
                                .equals("4"));
            }
            execute(pair.connectReplica(), "SET GLOBAL super_read_only = 1");
            try (MirrorProxy proxy = MirrorProxy.start(
                            pair.address().getPort(),
                            pair.replica().getPort(),
                            "{ verify: 100%, rules: [ { name: all } ] }");
                    Connection client = proxy.mysql("&useServerPrepStmts=true")) {
                until(proxy, client, 1, "equal", 20);
                execute(proxy.mysql(""), "UPDATE items SET name = 'new' WHERE id = 3");
                until(proxy, client, 3, "inconclusive_recent_write", 1);
                until(proxy, client, 3, "equal", 4);
                assertThat(proxy.count("understudy.mirror.verified", "outcome", "different"))
                        .isZero();
                execute(
                        pair.connectReplica(),
                        "SET GLOBAL super_read_only = 0",
                        "SET SESSION sql_log_bin = 0",
                        "UPDATE shop.items SET name = 'planted' WHERE id = 2",
                        "SET GLOBAL super_read_only = 1");
                until(proxy, client, 2, "different", 2);
                assertThat(String.valueOf(proxy.view())).contains("tables=[shop.items]");
            }
        }
    }
}
