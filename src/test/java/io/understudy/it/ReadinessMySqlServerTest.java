package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.host.PluginTypes;
import io.understudy.readiness.Limits;
import io.understudy.readiness.ProxyFigures;
import io.understudy.readiness.ReadinessGate;
import io.understudy.readiness.ReadinessReport;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The readiness gate between a MySQL primary and its replica with {@code super_read_only}, which are given by address:
 * {@code -Dunderstudy.it.server=host:port,user,password -Dunderstudy.it.standby=host:port}, one account for both.
 * Creates the schemas {@code shop} and {@code texts} and the account {@code gate}.
 */
@Timeout(1200)
@EnabledIfSystemProperty(named = "understudy.it.standby", matches = ".+")
class ReadinessMySqlServerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final ServerUnderTest PRIMARY = ServerUnderTest.shared();
    private static final String STANDBY = System.getProperty("understudy.it.standby", "");
    private static final String COMPONENT = "file://component_query_attributes";

    /** By variable: the severity and a value that the primary does not have. */
    private static final Map<String, String[]> SETTINGS = Map.ofEntries(
            Map.entry("transaction_read_only", new String[] {"blocks", "1"}),
            Map.entry("autocommit", new String[] {"blocks", "0"}),
            Map.entry("max_execution_time", new String[] {"blocks", "1"}),
            Map.entry("init_connect", new String[] {"blocks", "'SET @a = 1'"}),
            Map.entry("wait_timeout", new String[] {"blocks", "5"}),
            Map.entry("default_storage_engine", new String[] {"blocks", "'MyISAM'"}),
            Map.entry("auto_increment_increment", new String[] {"blocks", "2"}),
            Map.entry("auto_increment_offset", new String[] {"blocks", "2"}),
            Map.entry("foreign_key_checks", new String[] {"blocks", "0"}),
            Map.entry("unique_checks", new String[] {"blocks", "0"}),
            Map.entry("sql_require_primary_key", new String[] {"blocks", "1"}),
            Map.entry("sql_generate_invisible_primary_key", new String[] {"blocks", "1"}),
            Map.entry("innodb_strict_mode", new String[] {"blocks", "0"}),
            Map.entry("max_user_connections", new String[] {"blocks", "1"}),
            Map.entry("max_connections", new String[] {"blocks", "20"}),
            Map.entry("event_scheduler", new String[] {"warns", "0"}),
            Map.entry("replica_exec_mode", new String[] {"blocks", "'IDEMPOTENT'"}),
            Map.entry("sql_select_limit", new String[] {"blocks", "0"}),
            Map.entry("group_concat_max_len", new String[] {"blocks", "4"}),
            Map.entry("lc_time_names", new String[] {"blocks", "'de_DE'"}),
            Map.entry("time_zone", new String[] {"blocks", "'+03:00'"}),
            Map.entry("sql_safe_updates", new String[] {"blocks", "1"}),
            Map.entry("partial_revokes", new String[] {"blocks", "1"}),
            Map.entry("lock_wait_timeout", new String[] {"warns", "30000000"}),
            Map.entry("optimizer_switch", new String[] {"warns", "'index_merge=off'"}));

    private static Connection standby() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mysql://" + STANDBY + "/?sslMode=DISABLED&allowPublicKeyRetrieval=true",
                PRIMARY.user(),
                PRIMARY.password());
    }

    private static void onStandby(String... statements) throws SQLException {
        try (Connection connection = standby();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static String query(String sql) throws SQLException {
        try (Connection connection = standby();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getString(1) : "";
        }
    }

    @BeforeEach
    void prepare() throws Exception {
        PRIMARY.execute(
                "DROP DATABASE IF EXISTS shop",
                "DROP DATABASE IF EXISTS texts",
                "CREATE DATABASE shop",
                "CREATE TABLE shop.t (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(50))",
                "DROP USER IF EXISTS gate",
                "CREATE USER gate IDENTIFIED BY 'secret'",
                "GRANT REPLICATION CLIENT, PROCESS, SELECT, SHOW VIEW, TRIGGER, EVENT ON *.* TO gate");
        isWell();
    }

    @AfterEach
    void isWellAgain() throws Exception {
        PRIMARY.execute("DROP DATABASE IF EXISTS shop", "DROP DATABASE IF EXISTS texts");
        isWell();
    }

    private static void isWell() {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(report().view())
                        .as("%s", report().findings())
                        .containsEntry("verdict", "yes"));
    }

    private static ReadinessReport report() throws Exception {
        LoadedConfig config = ConfigLoader.load(
                """
                listen: { address: "127.0.0.1:0" }
                primary:
                  address: "%s:%d"
                  tls: { mode: required }
                  monitor: { user: gate, password: secret }
                standbys:
                  - { name: standby-1, address: "%s", tls: { mode: required }, user: gate, password: secret }
                admin: { enabled: false }
                """.formatted(
                        PRIMARY.address().getHostString(), PRIMARY.address().getPort(), STANDBY),
                "test.yaml",
                PluginTypes.installed().records(),
                name -> null);
        Limits limits = new Limits(Duration.ofSeconds(60), Duration.ofSeconds(2), Duration.ofSeconds(10));
        return ReadinessGate.of(
                        config,
                        PluginTypes.installed().figures(config),
                        "standby-1",
                        config.config().primary().address(),
                        limits,
                        Duration.ofSeconds(20))
                .report(() -> ProxyFigures.NONE);
    }

    private static List<String> subjects(ReadinessReport report) {
        return report.findings().stream()
                .map(finding -> finding.severity().word() + " " + finding.check() + " " + finding.subject())
                .toList();
    }

    @Test
    void allSettingsThatDifferAreNamed() throws Exception {
        List<String> mend = new ArrayList<>();
        List<String> plant = new ArrayList<>();
        List<String> expected = new ArrayList<>(List.of("blocks settings local_infile"));
        for (Map.Entry<String, String[]> setting : SETTINGS.entrySet()) {
            String name = setting.getKey();
            String before = query("SELECT @@GLOBAL." + name);
            mend.add("SET GLOBAL " + name + " = " + (before.matches("\\d+") ? before : "'" + before + "'"));
            plant.add("SET GLOBAL " + name + " = " + setting.getValue()[1]);
            expected.add(setting.getValue()[0] + " settings " + name);
        }
        String local = PRIMARY.query("SELECT @@GLOBAL.local_infile");
        String here = query("SELECT @@GLOBAL.local_infile");
        try (Connection connection = standby();
                Statement statement = connection.createStatement()) {
            try {
                PRIMARY.execute("SET GLOBAL local_infile = 1");
                statement.execute("SET GLOBAL local_infile = 0");
                for (String sql : plant) {
                    statement.execute(sql);
                }
                ReadinessReport report = report();
                assertThat(subjects(report)).containsExactlyInAnyOrderElementsOf(expected);
                assertThat(report.findings())
                        .allSatisfy(finding -> assertThat(finding.statement())
                                .contains("on the standby: SET PERSIST " + finding.subject()));
            } finally {
                PRIMARY.execute("SET GLOBAL local_infile = " + local);
                statement.execute("SET GLOBAL local_infile = " + here);
                for (String sql : mend) {
                    statement.execute(sql);
                }
            }
        }
    }

    @Test
    void allDefinitionsThatDifferAreNamed() throws Exception {
        PRIMARY.execute(
                "CREATE TABLE shop.parent (id INT PRIMARY KEY)",
                "CREATE TABLE shop.width (id INT PRIMARY KEY, price DECIMAL(10, 2))",
                "CREATE TABLE shop.nulls (id INT PRIMARY KEY, name VARCHAR(50) NOT NULL)",
                "CREATE TABLE shop.presets (id INT PRIMARY KEY, name VARCHAR(50) DEFAULT 'a')",
                "CREATE TABLE shop.words (id INT PRIMARY KEY, name VARCHAR(50))",
                "CREATE TABLE shop.keyed (id INT PRIMARY KEY, name VARCHAR(50), KEY k (name))",
                "CREATE TABLE shop.hidden (id INT PRIMARY KEY, name VARCHAR(50), KEY k (name))",
                "CREATE TABLE shop.children (id INT PRIMARY KEY, p INT, KEY (p),"
                        + " CONSTRAINT f FOREIGN KEY (p) REFERENCES shop.parent (id))",
                "CREATE TABLE shop.checked (id INT PRIMARY KEY, n INT, CONSTRAINT positive CHECK (n > 0))",
                "CREATE TABLE shop.engine (id INT PRIMARY KEY)",
                "CREATE TABLE shop.parted (id INT PRIMARY KEY) PARTITION BY RANGE (id)"
                        + " (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20))",
                "CREATE TABLE shop.gone (id INT PRIMARY KEY)",
                "CREATE VIEW shop.seen AS SELECT id FROM shop.parent",
                "CREATE VIEW shop.unseen AS SELECT id FROM shop.parent",
                "CREATE TRIGGER shop.fired BEFORE INSERT ON shop.parent FOR EACH ROW SET NEW.id = NEW.id + 1",
                "CREATE PROCEDURE shop.pay() SELECT 1",
                "CREATE PROCEDURE shop.typed(IN n INT) SELECT n",
                "CREATE FUNCTION shop.tax(n INT) RETURNS INT DETERMINISTIC RETURN n * 2",
                "CREATE EVENT shop.daily ON SCHEDULE EVERY 1 DAY DISABLE DO DELETE FROM shop.gone",
                "CREATE DATABASE texts CHARACTER SET utf8mb4",
                "SET SESSION sql_log_bin = 0",
                "INSERT INTO mysql.time_zone_name VALUES ('Europe/Nowhere', 1)",
                "INSTALL COMPONENT '" + COMPONENT + "'",
                "INSTALL PLUGIN mysql_no_login SONAME 'mysql_no_login.so'");
        String position =
                String.valueOf(PRIMARY.query("SELECT @@GLOBAL.gtid_executed")).replace("\n", "");
        assertThat(query("SELECT WAIT_FOR_EXECUTED_GTID_SET('" + position + "', 30)"))
                .isEqualTo("0");
        try {
            onStandby(
                    "SET GLOBAL super_read_only = 0",
                    "SET SESSION sql_log_bin = 0",
                    "ALTER TABLE shop.width MODIFY price DECIMAL(5, 2)",
                    "ALTER TABLE shop.nulls MODIFY name VARCHAR(50) NULL",
                    "ALTER TABLE shop.presets MODIFY name VARCHAR(50) DEFAULT 'b'",
                    "ALTER TABLE shop.words MODIFY name VARCHAR(50) CHARACTER SET latin1 COLLATE latin1_bin",
                    "ALTER TABLE shop.keyed DROP KEY k",
                    "ALTER TABLE shop.hidden ALTER INDEX k INVISIBLE",
                    "ALTER TABLE shop.children DROP FOREIGN KEY f",
                    "ALTER TABLE shop.checked DROP CHECK positive",
                    "ALTER TABLE shop.engine ENGINE = MyISAM",
                    "ALTER TABLE shop.parted DROP PARTITION p1",
                    "DROP TABLE shop.gone",
                    "ALTER VIEW shop.seen AS SELECT id + 1 AS id FROM shop.parent",
                    "DROP VIEW shop.unseen",
                    "DROP TRIGGER shop.fired",
                    "CREATE TRIGGER shop.extra BEFORE DELETE ON shop.parent FOR EACH ROW SET @a = 1",
                    "DROP PROCEDURE shop.pay",
                    "DROP PROCEDURE shop.typed",
                    "CREATE PROCEDURE shop.typed(IN n BIGINT) SELECT n",
                    "DROP FUNCTION shop.tax",
                    "CREATE FUNCTION shop.tax(n INT) RETURNS INT DETERMINISTIC RETURN n * 3",
                    "DROP EVENT shop.daily",
                    "ALTER DATABASE texts CHARACTER SET latin1",
                    "CREATE TABLE shop.surplus (id INT)",
                    "SET GLOBAL super_read_only = 1");
            ReadinessReport report = report();
            assertThat(subjects(report))
                    .as("%s", report.findings())
                    .containsExactlyInAnyOrder(
                            "blocks definitions differs columns shop.width",
                            "blocks definitions differs columns shop.nulls",
                            "blocks definitions differs columns shop.presets",
                            "blocks definitions differs columns shop.words",
                            "blocks definitions differs indexes shop.keyed",
                            "blocks definitions differs indexes shop.hidden",
                            "blocks definitions differs foreign keys shop.children",
                            "blocks definitions missing check shop.positive",
                            "blocks definitions differs table shop.engine",
                            "blocks definitions differs partitions shop.parted",
                            "blocks definitions missing table shop.gone",
                            "blocks definitions differs view shop.seen",
                            "blocks definitions missing view shop.unseen",
                            "blocks definitions missing trigger shop.fired",
                            "blocks definitions more trigger shop.extra",
                            "blocks definitions missing routine shop.PROCEDURE pay",
                            "blocks definitions differs routine shop.PROCEDURE typed",
                            "blocks definitions differs routine shop.FUNCTION tax",
                            "blocks definitions missing event shop.daily",
                            "blocks definitions differs schema texts",
                            "blocks definitions missing time zones time zones",
                            "blocks definitions missing component " + COMPONENT,
                            "blocks definitions missing plugin mysql_no_login",
                            "warns definitions more table shop.surplus");
        } finally {
            PRIMARY.execute(
                    "SET SESSION sql_log_bin = 0",
                    "DELETE FROM mysql.time_zone_name",
                    "UNINSTALL COMPONENT '" + COMPONENT + "'",
                    "UNINSTALL PLUGIN mysql_no_login",
                    "DROP DATABASE shop",
                    "DROP DATABASE texts");
            onStandby(
                    "SET GLOBAL super_read_only = 0",
                    "SET SESSION sql_log_bin = 0",
                    "DROP DATABASE shop",
                    "DROP DATABASE texts",
                    "SET GLOBAL super_read_only = 1");
        }
    }

    /** Advice to MySQL uses its own names. */
    @Test
    void adviceIsInTheProductsOwnWords() throws Exception {
        onStandby("STOP REPLICA SQL_THREAD");
        PRIMARY.execute("INSERT INTO shop.t (name) VALUES ('waits')");
        try {
            await().atMost(PATIENCE).untilAsserted(() -> {
                ReadinessReport report = report();
                assertThat(subjects(report)).contains("blocks received ");
                assertThat(report.findings())
                        .allSatisfy(finding ->
                                assertThat(finding.why() + finding.statement()).doesNotContain("SLAVE", "MDEV"));
            });
        } finally {
            onStandby("START REPLICA");
        }
    }

    @Test
    void findsNothingOnAHealthyPairUnderLoad() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger commits = new AtomicInteger();
        Thread load = new Thread(() -> {
            for (int i = 0; !stop.get(); i++) {
                PRIMARY.execute(
                        "INSERT INTO shop.t (name) VALUES ('load')",
                        "CREATE TABLE shop.passing" + i % 7 + i + " (id INT)",
                        "INSERT INTO shop.t (name) VALUES ('load')",
                        "CREATE PROCEDURE shop.passing" + i + "() SELECT 1",
                        "DROP PROCEDURE shop.passing" + i,
                        "DROP TABLE shop.passing" + i % 7 + i);
                commits.incrementAndGet();
            }
        });
        load.start();
        try {
            for (int i = 0; i < Integer.getInteger("understudy.it.readiness.calls", 12); i++) {
                ReadinessReport report = report();
                assertThat(report.view())
                        .as("call %d: %s", i, report.findings())
                        .containsEntry("verdict", "yes");
            }
        } finally {
            stop.set(true);
            load.join();
        }
        assertThat(commits.get()).isGreaterThan(10);
    }
}
