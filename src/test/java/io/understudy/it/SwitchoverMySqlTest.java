package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.host.PluginTypes;
import io.understudy.remote.AdminClient;
import io.understudy.runtime.RunningProxy;
import io.understudy.switchover.ChangeOutcome;
import io.understudy.switchover.PlannedChange;
import io.understudy.switchover.Switchover;
import io.understudy.switchover.SwitchoverLimits;
import io.understudy.testkit.FreePort;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Planned changes of the primary, forth and back, on MySQL: {@code -Dunderstudy.it.mysql=DIR}, and
 * {@code -Dunderstudy.it.switchovers=20} for the figures.
 */
@EnabledIfSystemProperty(named = MySqlSemiSyncPair.PROPERTY, matches = ".+")
@Timeout(600)
class SwitchoverMySqlTest {
    private static final int TIMES = Integer.getInteger("understudy.it.switchovers", 2);
    private static final String PASSWORD = CommitProxy.PASSWORD;
    private static final SwitchoverLimits BOUNDS = new SwitchoverLimits(Duration.ofSeconds(5), Duration.ofSeconds(5));
    private static final Pattern STATEMENTS =
            Pattern.compile("on \\S+:\\s+(CHANGE REPLICATION SOURCE.*);", Pattern.DOTALL);
    private static final Pattern HELD = Pattern.compile("held for (\\d+) ms");

    private static void execute(Connection on, String... statements) throws SQLException {
        try (Statement statement = on.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static Set<String> rows(Connection on) throws SQLException {
        Set<String> all = new HashSet<>();
        try (Statement statement = on.createStatement();
                ResultSet rows = statement.executeQuery("SELECT CONCAT(round, '-', w, '-', n) FROM shop.t")) {
            while (rows.next()) {
                all.add(rows.getString(1));
            }
        }
        return all;
    }

    private static String column(Connection on, String sql, String column) throws SQLException {
        try (Statement statement = on.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? String.valueOf(row.getString(column)) : "";
        }
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
                  - { name: one, address: "127.0.0.1:%1$d", tls: { mode: preferred }, user: monitor, password: %3$s }
                  - { name: two, address: "127.0.0.1:%2$d", tls: { mode: preferred }, user: monitor, password: %3$s }
                admin: { address: "127.0.0.1:%4$d", token: a-token-of-fair-length }
                switchover: { user: switcher, password: %3$s }
                """.formatted(pair.address().getPort(), pair.replica().getPort(), PASSWORD, admin),
                "test.yaml",
                plugins.records(),
                name -> null);
    }

    @Test
    void nothingIsLostForthAndBack() throws Exception {
        PluginTypes plugins = PluginTypes.installed();
        try (MySqlSemiSyncPair pair = new MySqlSemiSyncPair();
                Connection one = pair.connect();
                Connection two = pair.connectReplica()) {
            execute(
                    one,
                    "SET GLOBAL rpl_semi_sync_source_enabled = OFF",
                    "CREATE TABLE shop.t (round INT, w INT, n INT, PRIMARY KEY (round, w, n))",
                    "GRANT SELECT, SHOW VIEW, TRIGGER, EVENT, REPLICATION CLIENT, PROCESS ON *.* TO monitor",
                    "CREATE USER switcher IDENTIFIED BY '" + PASSWORD + "'",
                    "GRANT SYSTEM_VARIABLES_ADMIN, REPLICATION CLIENT ON *.* TO switcher");
            execute(two, "SET GLOBAL super_read_only = 1");
            LoadedConfig loaded = config(pair, plugins);
            try (RunningProxy proxy = RunningProxy.start(loaded, plugins, () -> loaded)) {
                AdminClient admin = AdminClient.of(loaded.config().admin());
                await().atMost(Duration.ofSeconds(30))
                        .ignoreExceptions()
                        .until(() -> column(two, "SHOW GRANTS FOR switcher", "Grants for switcher@%")
                                .contains("REPLICATION CLIENT"));
                assertThatThrownBy(() -> Switchover.to("two", loaded.config(), admin, BOUNDS, discard()))
                        .hasMessageContaining("it lacks REPLICATION_SLAVE_ADMIN, RELOAD, EVENT");
                execute(one, "GRANT REPLICATION_SLAVE_ADMIN, RELOAD, EVENT ON *.* TO switcher");
                refusesErrantTransactions(loaded, admin, one, two);
                InetSocketAddress address =
                        (InetSocketAddress) proxy.proxy().addresses().get(0);
                for (int i = 0; i < TIMES; i++) {
                    boolean forth = i % 2 == 0;
                    switchOver(i, forth ? "two" : "one", loaded, admin, address, forth ? one : two, forth ? two : one);
                }
            }
        }
    }

    /** The standby of the pair has no plugin for the source side, and the old primary none for the other. */
    @Test
    void theNewPrimaryWaitsForAcknowledgementsAsTheOldOneDid() throws Exception {
        PluginTypes plugins = PluginTypes.installed();
        try (MySqlSemiSyncPair pair = new MySqlSemiSyncPair();
                Connection one = pair.connect();
                Connection two = pair.connectReplica()) {
            execute(
                    one,
                    "CREATE TABLE shop.t (round INT, w INT, n INT, PRIMARY KEY (round, w, n))",
                    "GRANT SELECT, SHOW VIEW, TRIGGER, EVENT, REPLICATION CLIENT, PROCESS ON *.* TO monitor",
                    "CREATE USER switcher IDENTIFIED BY '" + PASSWORD + "'",
                    "GRANT SYSTEM_VARIABLES_ADMIN, REPLICATION CLIENT, REPLICATION_SLAVE_ADMIN, RELOAD, EVENT,"
                            + " SET_ANY_DEFINER ON *.* TO switcher",
                    "CREATE DEFINER=app@'%' EVENT shop.e ON SCHEDULE EVERY 1 DAY STARTS '2037-01-01' DO DELETE FROM t");
            execute(two, "SET GLOBAL super_read_only = 1");
            LoadedConfig loaded = config(pair, plugins);
            try (RunningProxy proxy = RunningProxy.start(loaded, plugins, () -> loaded)) {
                AdminClient admin = AdminClient.of(loaded.config().admin());
                assertThat(run("two", loaded, admin, ChangeOutcome.NOT_PROMOTED))
                        .contains("blocks semi-sync: this standby has no plugin for the source side");
                execute(
                        two,
                        "SET GLOBAL super_read_only = 0",
                        "INSTALL PLUGIN rpl_semi_sync_source SONAME 'semisync_source.so'",
                        "SET GLOBAL super_read_only = 1");
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> admin.readiness("two").toString().contains("subject=source,"));
                String said = run("two", loaded, admin, ChangeOutcome.DONE);
                assertThat(column(two, "SELECT @@GLOBAL.rpl_semi_sync_source_enabled AS v", "v"))
                        .isEqualTo("1");
                String event = "SELECT CONCAT(STATUS, ' ', DEFINER) AS v FROM information_schema.EVENTS";
                assertThat(column(two, event, "v")).isEqualTo("ENABLED app@%");
                assertThat(column(one, event, "v")).isEqualTo("REPLICA_SIDE_DISABLED app@%");
                execute(two, "INSERT INTO shop.t VALUES (0, 0, 0)");
                Matcher statements = STATEMENTS.matcher(said);
                assertThat(statements.find()).as(said).isTrue();
                execute(
                        one,
                        statements
                                .group(1)
                                .replace("'PASSWORD'", "'" + PASSWORD + "'")
                                .split(";\\s+"));
                String acknowledged = "SHOW STATUS LIKE 'Rpl_semi_sync_source_yes_tx'";
                String before = column(two, acknowledged, "Value");
                await().atMost(Duration.ofSeconds(30)).until(() -> {
                    execute(two, "REPLACE INTO shop.t VALUES (0, 0, 1)");
                    return !column(two, acknowledged, "Value").equals(before);
                });
            }
        }
    }

    private static String run(String to, LoadedConfig loaded, AdminClient admin, ChangeOutcome expected)
            throws Exception {
        StringWriter out = new StringWriter();
        try (PlannedChange switchover = Switchover.to(to, loaded.config(), admin, BOUNDS, new PrintWriter(out, true))) {
            assertThat(switchover.run()).as(out.toString()).isEqualTo(expected);
        }
        return out.toString();
    }

    private static void refusesErrantTransactions(
            LoadedConfig loaded, AdminClient admin, Connection one, Connection two) throws Exception {
        execute(two, "SET GLOBAL super_read_only = 0", "CREATE SCHEMA errant", "DROP SCHEMA errant");
        execute(two, "SET GLOBAL super_read_only = 1");
        assertThat(run("two", loaded, admin, ChangeOutcome.NOT_PROMOTED))
                .contains("blocks errant: it has transactions that the primary never had");
        String server = column(two, "SELECT @@GLOBAL.server_uuid AS v", "v");
        for (int i = 1; i <= 2; i++) {
            execute(one, "SET GTID_NEXT = '" + server + ":" + i + "'", "BEGIN", "COMMIT");
        }
        execute(one, "SET GTID_NEXT = 'AUTOMATIC'");
        // A report is kept for two seconds.
        await().atMost(Duration.ofSeconds(30))
                .until(() -> Set.of("yes", "findings")
                        .contains(admin.readiness("two").get("verdict")));
    }

    private static PrintWriter discard() {
        return new PrintWriter(new StringWriter());
    }

    private static void switchOver(
            int round,
            String to,
            LoadedConfig loaded,
            AdminClient admin,
            InetSocketAddress address,
            Connection old,
            Connection chosen)
            throws Exception {
        MySqlLoad load = MySqlLoad.start(round, 4, address, PASSWORD);
        load.awaitMore(100);
        StringWriter out = new StringWriter();
        ChangeOutcome outcome;
        try (PlannedChange switchover = Switchover.to(to, loaded.config(), admin, BOUNDS, new PrintWriter(out, true))) {
            outcome = switchover.run();
        }
        System.out.println(out);
        assertThat(outcome).as(out.toString()).isEqualTo(ChangeOutcome.DONE);
        load.awaitMore(100);
        Set<String> answered = load.stop();
        assertThat(rows(chosen)).containsAll(answered);
        assertThat(load.failures()).as("whatever failed had not begun").isSubsetOf("INSERT 1053", "login 1053");
        assertThat(column(old, "SELECT @@GLOBAL.super_read_only AS v", "v")).isEqualTo("1");
        assertThat(column(chosen, "SELECT @@GLOBAL.super_read_only + @@GLOBAL.read_only AS v", "v"))
                .isEqualTo("0");
        Matcher held = HELD.matcher(out.toString());
        assertThat(held.find()).isTrue();
        System.out.println("FIGURE MySQL switchover " + round + ": held " + held.group(1) + " ms, answered "
                + answered.size() + ", failed " + load.failures());

        assertThat(run(to, loaded, admin, ChangeOutcome.LEFT))
                .contains("SOURCE_USER='USER', SOURCE_PASSWORD='PASSWORD'");
        Matcher statements = STATEMENTS.matcher(out.toString());
        assertThat(statements.find()).as(out.toString()).isTrue();
        execute(
                old,
                statements.group(1).replace("'PASSWORD'", "'" + PASSWORD + "'").split(";\\s+"));
        String last = column(chosen, "SELECT @@GLOBAL.gtid_executed AS v", "v");
        assertThat(column(old, "SELECT WAIT_FOR_EXECUTED_GTID_SET('" + last + "', 30) AS v", "v"))
                .isEqualTo("0");
        assertThat(run(to, loaded, admin, ChangeOutcome.DONE)).contains("nothing is left to do");
        assertThat(column(old, "CHECKSUM TABLE shop.t", "Checksum"))
                .isEqualTo(column(chosen, "CHECKSUM TABLE shop.t", "Checksum"));
    }
}
