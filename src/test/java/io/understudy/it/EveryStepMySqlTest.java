package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.host.PluginTypes;
import io.understudy.remote.AdminClient;
import io.understudy.runtime.RunningProxy;
import io.understudy.switchover.PlannedChange;
import io.understudy.switchover.Switchover;
import io.understudy.switchover.SwitchoverLimits;
import io.understudy.switchover.WritableServers;
import io.understudy.testkit.FreePort;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * On MySQL, a switchover is frozen or killed behind each step, with and without somebody who promotes the standby by
 * hand meanwhile: two servers are never writable. {@code -Dunderstudy.it.mysql=DIR}.
 */
@EnabledIfSystemProperty(named = MySqlSemiSyncPair.PROPERTY, matches = ".+")
@Timeout(900)
class EveryStepMySqlTest {
    private static final String PASSWORD = CommitProxy.PASSWORD;
    private static final int READ_ONLY = 6;
    private static final int PROMOTED = 10;
    private static final Pattern ENDED = Pattern.compile(" \\(\\d+ ms\\) - ");
    private static final SwitchoverLimits BOUNDS = new SwitchoverLimits(Duration.ofSeconds(5), Duration.ofSeconds(5));
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
    }

    /** Has something happen when the program prints that a step is over. */
    private static final class Interrupting extends PrintWriter {
        private final int behind;
        private final Runnable action;
        private int ended;

        Interrupting(StringWriter out, int behind, Runnable action) {
            super(out, true);
            this.behind = behind;
            this.action = action;
        }

        @Override
        public void println(String line) {
            super.println(line);
            if (ENDED.matcher(line).find() && ++ended == behind) {
                action.run();
            }
        }
    }

    private record Server(String name, int port, Connection connection) {
        void execute(String... statements) {
            try (Statement statement = connection.createStatement()) {
                for (String sql : statements) {
                    statement.execute(sql);
                }
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }

        String value(String sql) {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(sql)) {
                return row.next() ? String.valueOf(row.getString(1)) : "";
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }

        boolean writable() {
            return value("SELECT @@GLOBAL.read_only").equals("0");
        }
    }

    private static LoadedConfig config(Server one, Server two, PluginTypes plugins) throws Exception {
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
                """.formatted(one.port(), two.port(), PASSWORD, admin), "test.yaml", plugins.records(), name -> null);
    }

    @Test
    void twoServersAreNeverWritable() throws Exception {
        PluginTypes plugins = PluginTypes.installed();
        List<String> table = new ArrayList<>();
        try (MySqlSemiSyncPair pair = new MySqlSemiSyncPair();
                Connection first = pair.connect();
                Connection second = pair.connectReplica()) {
            Server one = new Server("one", pair.address().getPort(), first);
            Server two = new Server("two", pair.replica().getPort(), second);
            one.execute(
                    "SET GLOBAL rpl_semi_sync_source_enabled = OFF",
                    "CREATE TABLE shop.t (n INT AUTO_INCREMENT PRIMARY KEY)",
                    "GRANT SELECT, REPLICATION CLIENT, PROCESS, SHOW VIEW, TRIGGER, EVENT ON *.* TO monitor",
                    "CREATE USER switcher IDENTIFIED BY '" + PASSWORD + "'",
                    "GRANT SYSTEM_VARIABLES_ADMIN, REPLICATION CLIENT, REPLICATION_SLAVE_ADMIN, RELOAD, EVENT ON *.* TO"
                            + " switcher");
            two.execute("SET GLOBAL super_read_only = 1");
            LoadedConfig loaded = config(one, two, plugins);
            try (RunningProxy proxy = RunningProxy.start(loaded, plugins, () -> loaded)) {
                for (int step : IntStream.rangeClosed(3, PROMOTED + 1).toArray()) {
                    for (boolean killed : new boolean[] {false, true}) {
                        for (boolean promoted : new boolean[] {false, true}) {
                            boolean firstIsOld = one.writable();
                            Server old = firstIsOld ? one : two;
                            table.add(run(proxy, loaded, old, firstIsOld ? two : one, step, killed, promoted));
                        }
                    }
                }
            }
        }
        table.forEach(System.out::println);
    }

    private static String run(
            RunningProxy proxy,
            LoadedConfig loaded,
            Server old,
            Server chosen,
            int step,
            boolean killed,
            boolean promoted)
            throws Exception {
        AdminClient admin = AdminClient.of(loaded.config().admin());
        // A report of the gate is kept for two seconds, and the proxy has to have probed both.
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> !List.of("no", "unknown")
                        .contains(String.valueOf(admin.readiness(chosen.name()).get("verdict"))));
        StringWriter out = new StringWriter();
        String what = (killed ? "killed" : "frozen") + (promoted ? ", promoted by hand," : "") + " behind step " + step;
        String outcome;
        int most;
        Server one = connected(old);
        Server two = connected(chosen);
        try (Connection first = one.connection();
                Connection second = two.connection();
                WritableServers seen = new WritableServers(one::writable, two::writable)) {
            Runnable action = () -> {
                if (promoted) {
                    promote(step, old, chosen);
                }
                if (killed) {
                    throw new Killed();
                }
                await().atMost(PATIENCE)
                        .until(() ->
                                Boolean.FALSE.equals(proxy.proxy().holdView().get("held")));
            };
            try (PlannedChange switchover =
                    Switchover.to(chosen.name(), loaded.config(), admin, BOUNDS, new Interrupting(out, step, action))) {
                outcome = switchover.run().toString();
            } catch (Killed end) {
                outcome = "killed";
                proxy.proxy().release(); // as the end of the connection that asked for the hold does
            }
            most = seen.most();
        }
        assertThat(out.toString().lines().filter(ENDED.asPredicate()).count())
                .as("%s: %s", what, out)
                .isGreaterThanOrEqualTo(step);
        assertThat(most).as("%s: %s", what, out).isLessThanOrEqualTo(1);
        boolean ofOld = old.writable();
        boolean ofChosen = chosen.writable();
        assertThat(ofOld && ofChosen).as("%s: %s", what, out).isFalse();
        restore(admin, ofChosen ? chosen : old, ofChosen ? old : chosen);
        return "MySQL: %-45s %-7s writable at most %d, in the end: %s"
                .formatted(what, outcome, most, ofOld ? "old primary" : ofChosen ? "standby" : "none");
    }

    /** As docs/failover.md has it: the old primary is fenced first, unless the switchover has done that. */
    private static void promote(int behind, Server old, Server chosen) {
        if (behind < READ_ONLY) {
            old.execute("SET GLOBAL super_read_only = 1");
        }
        if (behind < PROMOTED) {
            chosen.execute("STOP REPLICA", "SET GLOBAL read_only = 0");
        }
    }

    private static void restore(AdminClient admin, Server primary, Server standby) throws Exception {
        standby.execute("STOP REPLICA", "SET GLOBAL super_read_only = 1", "RESET REPLICA ALL");
        primary.execute("STOP REPLICA", "RESET REPLICA ALL", "SET GLOBAL read_only = 0");
        standby.execute(
                "CHANGE REPLICATION SOURCE TO SOURCE_HOST='127.0.0.1', SOURCE_PORT=" + primary.port()
                        + ", SOURCE_USER='monitor', SOURCE_PASSWORD='" + PASSWORD
                        + "', SOURCE_AUTO_POSITION=1, SOURCE_SSL=0, GET_SOURCE_PUBLIC_KEY=1, SOURCE_CONNECT_RETRY=1",
                "START REPLICA");
        admin.act("primary?force=true&address=127.0.0.1:" + primary.port());
        primary.execute("INSERT INTO shop.t VALUES ()");
        String last = primary.value("SELECT @@GLOBAL.gtid_executed");
        assertThat(standby.value("SELECT WAIT_FOR_EXECUTED_GTID_SET('" + last.replace("\n", "") + "', 30)"))
                .isEqualTo("0");
    }

    private static Server connected(Server to) throws SQLException {
        return new Server(
                to.name(),
                to.port(),
                DriverManager.getConnection(
                        "jdbc:mariadb://127.0.0.1:" + to.port() + "/?sslMode=disable&allowPublicKeyRetrieval=true",
                        "root",
                        ""));
    }
}
