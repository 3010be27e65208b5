package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The live causal check, beside writes that it must not take for differences. */
@Timeout(240)
@Tag("long")
class MirrorVerifyTest {
    private static EmbeddedPair pair;

    @BeforeAll
    static void start() {
        pair = EmbeddedPair.start(PairOptions.defaults().withRtt(Duration.ofMillis(2)));
        pair.createAccount("understudy", MirrorProxy.PASSWORD, "ALL ON *.*");
        pair.createAccount("understudy_mirror", MirrorProxy.PASSWORD, "SELECT, PROCESS, REPLICATION CLIENT ON *.*");
        pair.createAccount("app", MirrorProxy.PASSWORD, "ALL ON *.*");
        pair.primary()
                .execute(
                        "CREATE DATABASE shop",
                        "USE shop",
                        "CREATE TABLE items (id INT PRIMARY KEY, name VARCHAR(50), stock INT)",
                        "INSERT INTO items SELECT seq, CONCAT('item ', seq), 0 FROM seq_1_to_200",
                        "CREATE TABLE unkeyed (v INT)",
                        "INSERT INTO unkeyed VALUES (1), (2), (3)",
                        "CREATE TABLE busy (id INT PRIMARY KEY, v INT)",
                        "INSERT INTO busy SELECT seq, 0 FROM seq_1_to_50",
                        "CREATE TABLE parent (id INT PRIMARY KEY)",
                        "CREATE TABLE child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES parent (id)"
                                + " ON DELETE CASCADE)",
                        "CREATE VIEW seen AS SELECT id, name FROM items");
        pair.awaitCaughtUp(Duration.ofSeconds(30));
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    private static double verified(MirrorProxy proxy, String outcome) {
        return proxy.count("understudy.mirror.verified", "outcome", outcome);
    }

    private static void readPrepared(Connection connection, int above, String name) throws SQLException {
        String sql = "SELECT name, stock FROM items WHERE id > ? AND name = ? OR id = ? AND name <> ?";
        try (PreparedStatement prepared = connection.prepareStatement(sql)) {
            prepared.setInt(1, above);
            prepared.setString(2, name);
            prepared.setInt(3, above);
            prepared.setNull(4, Types.VARCHAR);
            prepared.executeQuery().close();
        }
    }

    private static void read(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeQuery(sql).close();
        }
    }

    /** Reads until the check has had that outcome so many more times. */
    private static void until(MirrorProxy proxy, Connection client, String outcome, int times, String sql) {
        double before = verified(proxy, outcome);
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(50))
                .untilAsserted(() -> {
                    read(client, sql);
                    assertThat(verified(proxy, outcome))
                            .as("%s: %s", sql, String.valueOf(proxy.view()).replaceAll(".*verify=", ""))
                            .isGreaterThanOrEqualTo(before + times);
                });
    }

    @Test
    void plantedRowsAreFoundAndWritesAreNot() throws Exception {
        AtomicBoolean writesItems = new AtomicBoolean(true);
        AtomicBoolean over = new AtomicBoolean();
        try (MirrorProxy proxy = MirrorProxy.start(
                        pair.primary().port(), pair.standby().port(), "{ verify: 100%, rules: [ { name: all } ] }");
                Connection client = proxy.mariadb("");
                Connection writes = proxy.mariadb("")) {
            proxy.awaitMirroring();
            Thread writer = new Thread(() -> {
                try (Statement statement = writes.createStatement()) {
                    for (int i = 0; !over.get(); i++) {
                        statement.execute("UPDATE busy SET v = v + 1 WHERE id = " + (i % 50 + 1));
                        if (writesItems.get()) {
                            statement.execute("UPDATE items SET stock = stock + 1 WHERE id = " + (i % 200 + 1));
                        }
                        Thread.onSpinWait();
                    }
                } catch (SQLException e) {
                    over.set(true);
                }
            });
            writer.start();
            until(proxy, client, "inconclusive_recent_write", 50, "SELECT name, stock FROM items WHERE id = 7");
            writesItems.set(false);
            until(proxy, client, "equal", 30, "SELECT name, stock FROM items WHERE id > 100 ORDER BY name");
            until(proxy, client, "inconclusive_recent_write", 10, "SELECT COUNT(*) FROM busy WHERE v > 3");
            until(proxy, client, "inconclusive_shape", 1, "SELECT name FROM items LIMIT 3");
            until(proxy, client, "inconclusive_function", 1, "SELECT UPPER(name) FROM items WHERE id = 3");
            until(proxy, client, "inconclusive_text", 1, "SELECT name FROM items WHERE name = 'ä'");
            until(proxy, client, "inconclusive_cascade", 1, "SELECT id FROM child WHERE id = 3");
            until(proxy, client, "inconclusive_table", 1, "SELECT name FROM seen WHERE id = 3");
            pair.standby()
                    .execute(
                            "SET SESSION sql_log_bin = 0",
                            "DELETE FROM shop.unkeyed WHERE v = 1",
                            "INSERT INTO shop.unkeyed VALUES (1)");
            until(proxy, client, "order", 1, "SELECT v FROM unkeyed WHERE v > 0");
            assertThat(verified(proxy, "different")).isZero();

            pair.standby()
                    .execute(
                            "SET SESSION sql_log_bin = 0",
                            "UPDATE shop.items SET name = 'planted' WHERE id IN (11, 12, 13)");
            for (int id = 11; id <= 13; id++) {
                until(proxy, client, "different", 1, "SELECT name, stock FROM items WHERE id = " + id);
            }
            assertThat(String.valueOf(proxy.view()))
                    .contains("differences=[{standby=s1, digest=", "tables=[shop.items]");
            pair.standby()
                    .execute("SET SESSION sql_log_bin = 0", "UPDATE shop.items SET stock = 999 WHERE name = 'item 31'");
            try (Connection prepares = proxy.mariadb("&useServerPrepStmts=true")) {
                double found = verified(proxy, "different");
                await().atMost(Duration.ofSeconds(60))
                        .pollInterval(Duration.ofMillis(50))
                        .untilAsserted(() -> {
                            readPrepared(prepares, 30, "item 31");
                            assertThat(verified(proxy, "different"))
                                    .as("%s", String.valueOf(proxy.view()).replaceAll(".*verify=", ""))
                                    .isGreaterThan(found);
                        });
                double equal = verified(proxy, "equal");
                await().atMost(Duration.ofSeconds(60))
                        .pollInterval(Duration.ofMillis(50))
                        .untilAsserted(() -> {
                            readPrepared(prepares, 40, "it's \\ 41");
                            assertThat(verified(proxy, "equal")).isGreaterThan(equal);
                        });
            }
            // Checks go in order: once these are over, so are those before them.
            until(proxy, client, "equal", 5, "SELECT name, stock FROM items WHERE id = 14");

            // A standby that does not apply is behind, not different.
            pair.standby().execute("STOP SLAVE SQL_THREAD");
            pair.primary().execute("UPDATE shop.items SET name = 'new' WHERE id = 20");
            double different = verified(proxy, "different");
            await().during(Duration.ofSeconds(3)).atMost(Duration.ofSeconds(10)).until(() -> {
                read(client, "SELECT name FROM items WHERE id = 20");
                return verified(proxy, "different") == different;
            });
            over.set(true);
            writer.join();
        } finally {
            over.set(true);
            pair.standby().execute("START SLAVE SQL_THREAD");
        }
    }

    /** What no transaction has committed is in no binary log, and a writable standby has writes of its own. */
    @Test
    void uncommittedRowsAndAPromotedStandbyAreNoDifference() throws Exception {
        pair.primary().execute("SET GLOBAL TRANSACTION ISOLATION LEVEL READ UNCOMMITTED");
        try (MirrorProxy proxy = MirrorProxy.start(
                        pair.primary().port(), pair.standby().port(), "{ verify: 100%, rules: [ { name: all } ] }");
                Connection client = proxy.mariadb("");
                Connection writes = pair.primary().connect();
                Statement write = writes.createStatement()) {
            proxy.awaitMirroring();
            writes.setAutoCommit(false);
            write.execute("UPDATE shop.items SET name = 'uncommitted' WHERE id = 50");
            until(proxy, client, "equal", 2, "SELECT name, stock FROM items WHERE id = 50");
            writes.rollback();

            pair.standby()
                    .execute(
                            "SET GLOBAL read_only = 0",
                            "SET SESSION sql_log_bin = 0",
                            "UPDATE shop.items SET name = 'written there' WHERE id = 61");
            await().during(Duration.ofSeconds(6)).atMost(Duration.ofSeconds(10)).until(() -> {
                read(client, "SELECT name, stock FROM items WHERE id = 61");
                return verified(proxy, "different") == 0;
            });
        } finally {
            pair.primary().execute("SET GLOBAL TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            pair.standby()
                    .execute(
                            "SET SESSION sql_log_bin = 0",
                            "UPDATE shop.items SET name = 'item 61' WHERE id = 61",
                            "SET GLOBAL read_only = 1");
        }
    }

    /** The next user of the pooled connection would not see all rows. */
    @Test
    void aComparisonLeavesThePoolsRowLimit() throws Exception {
        pair.primary().execute("SET GLOBAL log_output = 'TABLE'", "SET GLOBAL general_log = 1");
        try (MirrorProxy proxy = MirrorProxy.start(
                        pair.primary().port(), pair.standby().port(), "{ verify: 100%, rules: [ { name: all } ] }");
                Connection client = proxy.mariadb("")) {
            proxy.awaitMirroring();
            until(proxy, client, "equal", 2, "SELECT name FROM items WHERE id = 90");
            String sent = "SELECT COUNT(*) FROM mysql.general_log WHERE user_host LIKE 'under%' AND argument LIKE ";
            assertThat(pair.primary().query(sent + "'%time_zone = DEFAULT%'")).isNotEqualTo("0");
            assertThat(pair.primary().query(sent + "'%sql_select_limit = DEFAULT%'"))
                    .isEqualTo("0");
        } finally {
            pair.primary().execute("SET GLOBAL general_log = 0", "SET GLOBAL log_output = 'FILE'");
        }
    }

    /** A rebuilt standby is seen to be right again, also when nobody reads the row. */
    @Test
    void aRepairedStandbyIsNoLongerListed() throws Exception {
        String view = "{ verify: 100%, rules: [ { name: all } ] }";
        try (MirrorProxy proxy =
                        MirrorProxy.start(pair.primary().port(), pair.standby().port(), view);
                Connection client = proxy.mariadb("")) {
            proxy.awaitMirroring();
            pair.standby()
                    .execute("SET SESSION sql_log_bin = 0", "UPDATE shop.items SET name = 'planted' WHERE id = 70");
            until(proxy, client, "different", 1, "SELECT name, stock FROM items WHERE id = 70");
            assertThat(String.valueOf(proxy.view())).contains("differences=[{standby=s1");
            pair.standby()
                    .execute("SET SESSION sql_log_bin = 0", "UPDATE shop.items SET name = 'item 70' WHERE id = 70");
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(
                            () -> assertThat(String.valueOf(proxy.view())).contains("differences=[]"));
        }
    }
}
