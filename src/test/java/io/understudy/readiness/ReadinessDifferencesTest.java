package io.understudy.readiness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.plugin.StandbyFigures;
import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Everything that is planted on one server alone is named. */
@Tag("long")
class ReadinessDifferencesTest extends ReadinessPair {
    private static final String UNLOGGED = "SET SESSION sql_log_bin = 0";

    /** By variable: the severity and a value that the primary does not have. */
    private static final Map<String, String[]> SETTINGS = Map.ofEntries(
            Map.entry("transaction_read_only", new String[] {"blocks", "1"}),
            Map.entry("autocommit", new String[] {"blocks", "0"}),
            Map.entry("max_statement_time", new String[] {"blocks", "1"}),
            Map.entry("init_connect", new String[] {"blocks", "'SET @a = 1'"}),
            Map.entry("wait_timeout", new String[] {"blocks", "5"}),
            Map.entry("default_storage_engine", new String[] {"blocks", "'MyISAM'"}),
            Map.entry("auto_increment_increment", new String[] {"blocks", "2"}),
            Map.entry("auto_increment_offset", new String[] {"blocks", "2"}),
            Map.entry("foreign_key_checks", new String[] {"blocks", "0"}),
            Map.entry("unique_checks", new String[] {"blocks", "0"}),
            Map.entry("check_constraint_checks", new String[] {"blocks", "0"}),
            Map.entry("innodb_strict_mode", new String[] {"blocks", "0"}),
            Map.entry("innodb_force_primary_key", new String[] {"blocks", "1"}),
            Map.entry("local_infile", new String[] {"blocks", "0"}),
            Map.entry("event_scheduler", new String[] {"warns", "1"}),
            Map.entry("slave_exec_mode", new String[] {"blocks", "'IDEMPOTENT'"}),
            Map.entry("sql_select_limit", new String[] {"blocks", "0"}),
            Map.entry("group_concat_max_len", new String[] {"blocks", "4"}),
            Map.entry("lc_time_names", new String[] {"blocks", "'de_DE'"}),
            Map.entry("div_precision_increment", new String[] {"blocks", "9"}),
            Map.entry("sql_safe_updates", new String[] {"blocks", "1"}),
            Map.entry("lock_wait_timeout", new String[] {"warns", "60000"}),
            Map.entry("optimizer_switch", new String[] {"warns", "'index_merge=off'"}));

    @Test
    void allSettingsThatDifferAreNamed() throws Exception {
        List<String> mend = new ArrayList<>();
        List<String> plant = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        SETTINGS.forEach((name, value) -> {
            String before = pair.standby().query("SELECT @@GLOBAL." + name);
            mend.add("SET GLOBAL " + name + " = " + (before.matches("\\d+(\\.\\d+)?") ? before : "'" + before + "'"));
            plant.add("SET GLOBAL " + name + " = " + value[1]);
            expected.add(value[0] + " settings " + name);
        });
        try {
            pair.standby().execute(plant.toArray(String[]::new));
            ReadinessReport report = report();
            assertThat(subjects(report)).containsExactlyInAnyOrderElementsOf(expected);
            assertThat(report.findings()).allSatisfy(finding -> {
                assertThat(finding.why()).isNotEmpty();
                assertThat(finding.statement()).contains("on the standby: SET GLOBAL " + finding.subject());
            });
        } finally {
            pair.standby().execute("SET SESSION sql_select_limit = DEFAULT");
            pair.standby().execute(mend.toArray(String[]::new));
        }
    }

    @Test
    void allDefinitionsThatDifferAreNamed() throws Exception {
        pair.primary()
                .execute(
                        "CREATE TABLE shop.parent (id INT PRIMARY KEY)",
                        "CREATE TABLE shop.width (id INT PRIMARY KEY, name VARCHAR(50), price DECIMAL(10, 2))",
                        "CREATE TABLE shop.nulls (id INT PRIMARY KEY, name VARCHAR(50) NOT NULL)",
                        "CREATE TABLE shop.presets (id INT PRIMARY KEY, name VARCHAR(50) DEFAULT 'a')",
                        "CREATE TABLE shop.words (id INT PRIMARY KEY, name VARCHAR(50))",
                        "CREATE TABLE shop.keyed (id INT PRIMARY KEY, name VARCHAR(50), KEY k (name))",
                        "CREATE TABLE shop.children (id INT PRIMARY KEY, p INT, KEY (p),"
                                + " CONSTRAINT f FOREIGN KEY (p) REFERENCES shop.parent (id))",
                        "CREATE TABLE shop.checked (id INT PRIMARY KEY, n INT, CONSTRAINT positive CHECK (n > 0))",
                        "CREATE TABLE shop.engine (id INT PRIMARY KEY)",
                        "CREATE TABLE shop.parted (id INT PRIMARY KEY) PARTITION BY RANGE (id)"
                                + " (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20))",
                        "CREATE TABLE shop.gone (id INT PRIMARY KEY)",
                        "CREATE SEQUENCE shop.numbers INCREMENT BY 2",
                        "CREATE SEQUENCE shop.cached CACHE 10",
                        "CREATE VIEW shop.seen AS SELECT id FROM shop.parent",
                        "CREATE VIEW shop.unseen AS SELECT id FROM shop.parent",
                        "CREATE TRIGGER shop.fired BEFORE INSERT ON shop.parent FOR EACH ROW SET NEW.id = NEW.id + 1",
                        "CREATE TRIGGER shop.other BEFORE UPDATE ON shop.parent FOR EACH ROW SET NEW.id = NEW.id + 1",
                        "CREATE PROCEDURE shop.pay() SELECT 1",
                        "CREATE PROCEDURE shop.moded() SELECT 1",
                        "CREATE FUNCTION shop.tax(n INT) RETURNS INT DETERMINISTIC RETURN n * 2",
                        "CREATE EVENT shop.daily ON SCHEDULE EVERY 1 DAY DISABLE DO DELETE FROM shop.gone",
                        "CREATE DATABASE texts CHARACTER SET utf8mb4",
                        UNLOGGED,
                        "INSERT INTO mysql.time_zone_name VALUES ('Europe/Nowhere', 1)",
                        "CREATE SERVER far FOREIGN DATA WRAPPER mysql OPTIONS (HOST '127.0.0.1', DATABASE 'shop')");
        pair.awaitCaughtUp(PATIENCE);
        try {
            pair.standby()
                    .execute(
                            UNLOGGED,
                            "ALTER TABLE shop.width MODIFY price DECIMAL(5, 2)",
                            "ALTER TABLE shop.nulls MODIFY name VARCHAR(50) NULL",
                            "ALTER TABLE shop.presets MODIFY name VARCHAR(50) DEFAULT 'b'",
                            "ALTER TABLE shop.words MODIFY name VARCHAR(50) CHARACTER SET latin1 COLLATE latin1_bin",
                            "ALTER TABLE shop.keyed DROP KEY k",
                            "ALTER TABLE shop.children DROP FOREIGN KEY f",
                            "ALTER TABLE shop.checked DROP CONSTRAINT positive",
                            "ALTER TABLE shop.engine ENGINE = Aria",
                            "ALTER TABLE shop.parted DROP PARTITION p1",
                            "DROP TABLE shop.gone",
                            "ALTER SEQUENCE shop.numbers INCREMENT BY 1 MAXVALUE 100 CYCLE",
                            "ALTER SEQUENCE shop.cached CACHE 20",
                            "ALTER VIEW shop.seen AS SELECT id + 1 AS id FROM shop.parent",
                            "DROP VIEW shop.unseen",
                            "DROP TRIGGER shop.fired",
                            "CREATE OR REPLACE TRIGGER shop.other BEFORE UPDATE ON shop.parent FOR EACH ROW SET"
                                    + " NEW.id = NEW.id + 2",
                            "CREATE TRIGGER shop.extra BEFORE DELETE ON shop.parent FOR EACH ROW SET @a = 1",
                            "DROP PROCEDURE shop.pay",
                            "SET SESSION sql_mode = 'ANSI_QUOTES'",
                            "CREATE OR REPLACE PROCEDURE shop.moded() SELECT 1",
                            "CREATE OR REPLACE FUNCTION shop.tax(n INT) RETURNS INT DETERMINISTIC RETURN n * 3",
                            "DROP EVENT shop.daily",
                            "ALTER DATABASE texts CHARACTER SET latin1",
                            "CREATE TABLE shop.surplus (id INT)");
            ReadinessReport report = report();
            assertThat(subjects(report))
                    .as("%s", what(report))
                    .containsExactlyInAnyOrder(
                            "blocks definitions differs columns shop.width",
                            "blocks definitions differs columns shop.nulls",
                            "blocks definitions differs columns shop.presets",
                            "blocks definitions differs columns shop.words",
                            "blocks definitions differs indexes shop.keyed",
                            "blocks definitions differs foreign keys shop.children",
                            "blocks definitions missing check shop.checked.positive",
                            "blocks definitions differs table shop.engine",
                            "blocks definitions differs partitions shop.parted",
                            "blocks definitions missing table shop.gone",
                            "blocks definitions differs sequences shop.numbers",
                            "blocks definitions differs view shop.seen",
                            "blocks definitions missing view shop.unseen",
                            "blocks definitions missing trigger shop.fired",
                            "blocks definitions differs trigger shop.other",
                            "blocks definitions more trigger shop.extra",
                            "blocks definitions missing routine shop.PROCEDURE pay",
                            "blocks definitions differs routine shop.PROCEDURE moded",
                            "blocks definitions differs routine shop.FUNCTION tax",
                            "blocks definitions missing event shop.daily",
                            "blocks definitions differs schema texts",
                            "blocks definitions missing time zones time zones",
                            "blocks definitions missing server far",
                            "warns definitions more table shop.surplus");
            assertThat(what(report))
                    .anyMatch(what -> what.contains("'Aria ") && what.contains("'InnoDB "))
                    .anyMatch(what -> what.endsWith("only the primary has the procedure shop.pay"));
        } finally {
            pair.standby().execute(UNLOGGED, "DROP DATABASE shop", "DROP DATABASE texts", "CREATE DATABASE shop");
            pair.standby()
                    .execute(
                            UNLOGGED,
                            "CREATE TABLE shop.t (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(50))",
                            "CREATE TABLE shop.`odd$name` (id INT) PARTITION BY HASH (id) PARTITIONS 2");
            pair.primary().execute(UNLOGGED, "DROP DATABASE shop", "DROP DATABASE texts", "CREATE DATABASE shop");
            pair.primary()
                    .execute(
                            UNLOGGED,
                            "CREATE TABLE shop.t (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(50))",
                            "CREATE TABLE shop.`odd$name` (id INT) PARTITION BY HASH (id) PARTITIONS 2",
                            "DELETE FROM mysql.time_zone_name",
                            "DROP SERVER far");
        }
    }

    private static ServerFacts bySchema(EmbeddedServer server) throws SQLException {
        try (Connection connection = server.connect()) {
            ServerQueries session = ServerQueries.until(System.nanoTime() + PATIENCE.toNanos(), connection);
            ServerFacts facts = new ServerFacts();
            facts.put(ServerFacts.VARIABLES, Known.of(session.pairs("SHOW GLOBAL VARIABLES")));
            facts.put(
                    ServerFacts.DEFINITIONS,
                    Known.of(new DefinitionsReader(session, facts, privilege -> "", 1).read()));
            return facts;
        }
    }

    private static List<String> bySchema() throws SQLException {
        Situation.Round round = new Situation.Round(bySchema(pair.standby()), bySchema(pair.primary()));
        Situation situation = new Situation(
                round, round, "s", "p:1", Set.of(), ProxyFigures.NONE, StandbyFigures.NONE, ReadinessGate.LIMITS);
        return Check.DEFINITIONS.findings(round, situation).stream()
                .map(Finding::what)
                .toList();
    }

    @Test
    void tooManyTablesAreComparedBySchema() throws Exception {
        assertThat(bySchema()).isEmpty();
        pair.standby()
                .execute(UNLOGGED, "ALTER TABLE shop.t MODIFY name VARCHAR(5)", "CREATE TABLE shop.surplus (id INT)");
        try {
            assertThat(bySchema())
                    .hasSize(2)
                    .anyMatch(what -> what.equals("the columns of some table of shop differ"))
                    .anyMatch(what -> what.equals("the tables of shop differ"));
        } finally {
            pair.standby().execute(UNLOGGED, "ALTER TABLE shop.t MODIFY name VARCHAR(50)", "DROP TABLE shop.surplus");
        }
    }

    /** A prepared transaction of the primary is on the standby too, once the next one has been applied. */
    @Test
    void preparedTransactionsAreNamed() throws Exception {
        try (Connection connection = pair.primary().connect();
                Statement statement = connection.createStatement()) {
            statement.execute("XA START 'here'");
            statement.execute("INSERT INTO shop.t (name) VALUES ('xa')");
            statement.execute("XA END 'here'");
            statement.execute("XA PREPARE 'here'");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(subjects(report())).containsExactly("warns xa both here"));
            statement.execute("XA COMMIT 'here'");
        }
    }
}
