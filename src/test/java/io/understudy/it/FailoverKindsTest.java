package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.it.FailoverPair.Said;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code failover} applies is what the dead primary had, whatever the kind of statement and of event. */
@Tag("long")
@Timeout(180)
class FailoverKindsTest {
    private static final String STATEMENTS = "SET binlog_format=STATEMENT";

    @TempDir
    private Path folder;

    private static String content(EmbeddedServer server) {
        String tables = server
                .rows("SELECT TABLE_NAME AS t FROM information_schema.TABLES WHERE TABLE_SCHEMA='shop'"
                        + " AND TABLE_TYPE='BASE TABLE' ORDER BY 1")
                .stream()
                .map(row -> "shop." + row.get("t"))
                .collect(Collectors.joining(", "));
        return server.rows("CHECKSUM TABLE " + tables).toString()
                + server.rows("SELECT ROUTINE_NAME, ROUTINE_DEFINITION, SQL_MODE, DEFINER, CHARACTER_SET_CLIENT,"
                        + " COLLATION_CONNECTION FROM information_schema.ROUTINES ORDER BY 1")
                + server.rows("SELECT TRIGGER_NAME, ACTION_STATEMENT, DEFINER FROM information_schema.TRIGGERS"
                        + " WHERE TRIGGER_SCHEMA='shop' ORDER BY 1");
    }

    @Test
    void everyKindIsAppliedAsItWasLogged() throws Exception {
        try (FailoverPair servers = FailoverPair.start(folder, ", BINLOG REPLAY, SUPER")) {
            servers.pair.primary().execute("GRANT ALL ON *.* TO switcher");
            servers.pair.awaitCaughtUp(FailoverPair.PATIENCE);
            servers.cutOff();
            servers.standby().execute("SET GLOBAL gtid_strict_mode=1");
            EmbeddedServer primary = servers.pair.primary();
            primary.execute(
                    "USE shop",
                    "CREATE TABLE a (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(200) CHARACTER SET utf8mb4, d DOUBLE,"
                            + " at TIMESTAMP(6) NULL)",
                    "INSERT INTO a (v) VALUES ('rows: größer ☃')",
                    "SET binlog_format=STATEMENT, timestamp=1700000000.123456, time_zone='-03:00'",
                    "SET sql_mode='ANSI_QUOTES,NO_BACKSLASH_ESCAPES', auto_increment_increment=7",
                    "INSERT INTO \"a\" (v, d, at) VALUES ('back\\slash; größer ☃', RAND(), NOW(6)),"
                            + " ('{fn x} ? -- ;', 2, NULL)",
                    "INSERT INTO a (v) VALUES (LAST_INSERT_ID()) -- a comment at the end",
                    "SET sql_mode=DEFAULT, auto_increment_increment=1, time_zone=DEFAULT, timestamp=DEFAULT",
                    "CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 'größer ☃'; END",
                    "CREATE TRIGGER tr BEFORE INSERT ON a FOR EACH ROW BEGIN SET NEW.v = CONCAT(NEW.v, ';'); END",
                    "INSERT INTO a (v) VALUES ('by trigger')",
                    "SET binlog_format=ROW",
                    "INSERT INTO a (v) VALUES ('by trigger, rows')",
                    "CREATE TABLE parent (id INT PRIMARY KEY)",
                    "CREATE TABLE child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES parent (id))",
                    "SET foreign_key_checks=0",
                    "INSERT INTO child VALUES (1, 99)",
                    "SET foreign_key_checks=1",
                    "BEGIN",
                    "INSERT INTO parent VALUES (1)",
                    "SAVEPOINT s",
                    "INSERT INTO parent VALUES (2)",
                    "ROLLBACK TO s",
                    "INSERT INTO child VALUES (2, 1)",
                    "COMMIT",
                    "CREATE TABLE big (id INT PRIMARY KEY, v VARCHAR(100))",
                    "INSERT INTO big SELECT seq, REPEAT('x', 90) FROM seq_1_to_30000",
                    "UPDATE big, a SET big.v = 'updated', a.d = 7 WHERE big.id % 2 = 0 AND a.id = 1",
                    "CREATE TABLE mm (id INT PRIMARY KEY) ENGINE=Aria",
                    "INSERT INTO mm VALUES (1)",
                    "SET GLOBAL log_bin_compress=1",
                    "INSERT INTO big SELECT seq + 100000, REPEAT('y', 90) FROM seq_1_to_1000",
                    "UPDATE big SET v = REPEAT('z', 95) WHERE id > 100500",
                    "DELETE FROM big WHERE id > 100900",
                    "ALTER TABLE big COMMENT '" + "c".repeat(600) + "'",
                    "TRUNCATE TABLE mm",
                    "SET GLOBAL log_bin_compress=0",
                    "DROP TABLE mm",
                    "SET SESSION gtid_domain_id=7",
                    "INSERT INTO a (v) VALUES ('in a domain of its own')",
                    "FLUSH BINARY LOGS",
                    "SET SESSION gtid_domain_id=0",
                    "CREATE DATABASE other",
                    "CREATE VIEW v AS SELECT id FROM a");
            String state = primary.query("SELECT @@GLOBAL.gtid_binlog_state");
            String expected = content(primary);
            servers.awaitCaptured();
            primary.kill();

            Said said = servers.run("failover", "--to", "s1");
            assertThat(said.status()).as(said.text()).isZero();
            assertThat(content(servers.standby())).isEqualTo(expected);
            assertThat(servers.standby().query("SELECT @@GLOBAL.gtid_binlog_state"))
                    .isEqualTo(state);
        }
    }

    @Test
    void whatASessionCannotApplyIsSaidBeforeAnythingIsApplied() throws Exception {
        try (FailoverPair servers = FailoverPair.start(folder, ", BINLOG REPLAY")) {
            servers.cutOff();
            EmbeddedServer primary = servers.pair.primary();
            String before = servers.standby().query("SELECT @@GLOBAL.gtid_binlog_state");
            primary.execute("INSERT INTO shop.t VALUES (1, 1, '')", "CREATE TABLE shop.c SELECT * FROM shop.t");
            String state = primary.query("SELECT @@GLOBAL.gtid_binlog_pos");
            servers.awaitCaptured();
            primary.kill();
            Said looked = servers.run("failover", "--to", "s1", "--dry-run");
            assertThat(looked.status()).as(looked.text()).isEqualTo(1);
            assertThat(looked.text()).contains(state + " is CREATE TABLE … SELECT with its rows");
            Said said = servers.run("failover", "--to", "s1");
            assertThat(said.status()).as(said.text()).isEqualTo(1);
            assertThat(said.text())
                    .contains("nothing was applied, as " + state + " is CREATE TABLE … SELECT with its rows")
                    .contains("understudy rescue -c FILE --to lost.binlog --on s1", "s1 was not promoted")
                    .contains("{ echo \"SET sql_log_bin=0;\"; mariadb-binlog lost.binlog; } | mariadb");
            assertThat(servers.standby().query("SELECT @@GLOBAL.gtid_binlog_state"))
                    .isEqualTo(before);
            assertThat(List.of(servers.standby().query("SELECT @@GLOBAL.read_only")))
                    .containsExactly("1");
        }
    }

    /** A table lives before the standby is cut off, another one until the primary's end, and two have one name. */
    @Test
    void temporaryTablesDoNotStopIt() throws Exception {
        try (FailoverPair servers = FailoverPair.start(folder, ", BINLOG REPLAY, SUPER")) {
            EmbeddedServer primary = servers.pair.primary();
            primary.execute("GRANT SELECT, INSERT, CREATE TEMPORARY TABLES ON shop.* TO switcher");
            Set<String> expected;
            String state;
            try (Connection before = primary.connect();
                    Connection one = primary.connect();
                    Connection two = primary.connect()) {
                executeAll(before, STATEMENTS, "CREATE TEMPORARY TABLE shop.tt (a INT)");
                servers.pair.awaitCaughtUp(FailoverPair.PATIENCE);
                servers.cutOff();
                executeAll(before, "USE shop", "INSERT INTO tt VALUES (1)", "DROP TABLE tt");
                executeAll(one, STATEMENTS, "USE shop", "CREATE TEMPORARY TABLE tt (a INT AUTO_INCREMENT PRIMARY KEY)");
                executeAll(two, STATEMENTS, "USE shop", "CREATE TEMPORARY TABLE tt (b INT)");
                executeAll(one, "BEGIN", "INSERT INTO tt VALUES (NULL)", "INSERT INTO t VALUES (1, 1, '')", "COMMIT");
                executeAll(two, "INSERT INTO tt (b) VALUES (2)", "INSERT INTO t VALUES (1, CONNECTION_ID(), '')");
                executeAll(one, "INSERT INTO t SELECT 3, a, '' FROM tt");
                executeAll(two, "INSERT INTO t SELECT 4, b, '' FROM tt");
                executeAll(one, "DROP TABLE tt", "CREATE TEMPORARY TABLE tt SELECT * FROM t");
                expected = FailoverPair.rows(primary);
                state = primary.query("SELECT @@GLOBAL.gtid_binlog_state");
                servers.awaitCaptured();
                primary.kill();
            }
            Said said = servers.run("failover", "--to", "s1");
            assertThat(said.status()).as(said.text()).isZero();
            assertThat(FailoverPair.rows(servers.standby())).isEqualTo(expected).hasSize(4);
            assertThat(servers.standby().query("SELECT @@GLOBAL.gtid_binlog_state"))
                    .isEqualTo(state);
        }
    }

    @Test
    void whatReadsATemporaryTableIsSaidBeforeAnythingIsApplied() throws Exception {
        try (FailoverPair servers = FailoverPair.start(folder, ", BINLOG REPLAY")) {
            EmbeddedServer primary = servers.pair.primary();
            try (Connection one = primary.connect()) {
                executeAll(one, STATEMENTS, "CREATE TEMPORARY TABLE shop.tt (a INT)");
                primary.execute("GRANT SELECT ON shop.* TO switcher");
                servers.pair.awaitCaughtUp(FailoverPair.PATIENCE);
                servers.cutOff();
                executeAll(
                        one, "INSERT INTO shop.t VALUES (1, 1, '')", "INSERT INTO shop.t SELECT a, a, '' FROM shop.tt");
                servers.awaitCaptured();
                primary.kill();
            }
            for (String option : List.of("--dry-run", "--timeout=60s")) {
                Said said = servers.run("failover", "--to", "s1", option);
                assertThat(said.status()).as(said.text()).isEqualTo(1);
                assertThat(said.text())
                        .contains("nothing was applied", "changes [shop.t] with a temporary table", "rescue -c FILE");
            }
            assertThat(FailoverPair.rows(servers.standby())).isEmpty();
        }
    }

    private static void executeAll(Connection connection, String... all) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String each : all) {
                statement.execute(each);
            }
        }
    }

    /** What the message above says, on a server that would refuse a number twice, and on one that would not. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatASessionCannotApplyIsReplayedFromAFile(boolean strict) throws Exception {
        BlackBoxTools.assumeMariaDbTools();
        try (FailoverPair servers = FailoverPair.start(folder, ", BINLOG REPLAY")) {
            servers.cutOff();
            EmbeddedServer primary = servers.pair.primary();
            EmbeddedServer standby = servers.standby();
            standby.execute("SET GLOBAL gtid_strict_mode=" + (strict ? 1 : 0));
            primary.execute(
                    "INSERT INTO shop.t VALUES (1, 1, '')",
                    "CREATE TABLE shop.c SELECT * FROM shop.t",
                    "INSERT INTO shop.t VALUES (1, 2, '')",
                    "CREATE TABLE shop.u (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(20))",
                    "SET binlog_format=STATEMENT",
                    "SET @a='of a variable'",
                    "INSERT INTO shop.u (v) VALUES (@a)",
                    "SET binlog_format=ROW",
                    "XA START 'x'",
                    "INSERT INTO shop.t VALUES (1, 3, '')",
                    "XA END 'x'",
                    "XA PREPARE 'x'",
                    "XA COMMIT 'x'");
            String end = primary.query("SELECT @@GLOBAL.gtid_binlog_pos");
            String expected = checksums(primary);
            servers.awaitCaptured();
            primary.kill();
            assertThat(servers.run("failover", "--to", "s1").status()).isEqualTo(1);
            Path file = folder.resolve("lost.binlog");
            assertThat(servers.run("rescue", "--to", file.toString(), "--on", "s1")
                            .text())
                    .contains("7 transactions that s1 lacks");

            assertThatThrownBy(() -> BlackBoxTools.replay(file, standby))
                    .hasMessageContaining("CREATE TABLE ... SELECT would get two numbers");
            assertThat(standby.query("SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_NAME='c'"))
                    .isEqualTo("0");
            Path again = folder.resolve("again.binlog");
            assertThat(servers.run("rescue", "--to", again.toString(), "--on", "s1")
                            .text())
                    .contains("6 transactions that s1 lacks");
            BlackBoxTools.replay(again, standby, "SET sql_log_bin=0;");
            assertThatThrownBy(() -> BlackBoxTools.replay(again, standby, "SET sql_log_bin=0;"))
                    .hasMessageContaining("this server has transactions of this rescue file already");
            assertThat(checksums(standby)).isEqualTo(expected);
            assertThat(standby.query("SELECT @@GLOBAL.gtid_slave_pos")).isEqualTo(end);

            Said said = servers.run("failover", "--to", "s1");
            assertThat(said.status()).as(said.text()).isZero();
            assertThat(said.text()).contains("nothing is missing");
            assertThat(checksums(standby)).isEqualTo(expected);
        }
    }

    private static String checksums(EmbeddedServer server) {
        return server.rows("CHECKSUM TABLE shop.t, shop.c, shop.u").toString();
    }
}
