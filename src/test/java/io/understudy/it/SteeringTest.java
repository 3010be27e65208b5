package io.understudy.it;

import static io.understudy.it.DomainPair.one;
import static io.understudy.it.DomainPair.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mariadb.jdbc.MariaDbPoolDataSource;

/** The actions {@code alter: two-phase} and {@code parallel: skip}, by what the binary log then holds. */
@Timeout(240)
class SteeringTest {
    /** No rule has a domain, so none of the guard's privileges are needed. */
    private static final String RULES = """
            mode: tag
            rules:
              - { name: alters, match: { kind: ddl }, alter: two-phase }
              - { name: hot-rows, match: { table: dom.counters }, parallel: skip }
              - { name: batch, match: { user: archiver }, parallel: skip }
            """;

    private static DomainPair pair;

    @BeforeAll
    static void start() throws Exception {
        pair = DomainPair.start();
        pair.primary()
                .execute(
                        "CREATE TABLE dom.counters (id INT PRIMARY KEY, n INT)",
                        "INSERT INTO dom.counters VALUES (1, 0)",
                        "CREATE TABLE dom.items (id INT PRIMARY KEY, n INT)",
                        "INSERT INTO dom.items VALUES (1, 0)");
        pair.awaitCaughtUp();
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    private static Connection connect(DomainProxy proxy, String user, String options) throws SQLException {
        return DriverManager.getConnection(url(proxy, user) + options);
    }

    private static String url(DomainProxy proxy, String user) {
        int port = ((InetSocketAddress) proxy.server().addresses().get(0)).getPort();
        return "jdbc:mariadb://127.0.0.1:" + port + "/dom?sslMode=disable&user=" + user + "&password="
                + DomainPair.PASSWORD;
    }

    private static double count(DomainProxy proxy, String action, String outcome) {
        return proxy
                .meters()
                .find("understudy.steered.statements")
                .tags("action", action, "outcome", outcome)
                .counters()
                .stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    /** Runs a statement and returns its GTID. */
    private static String gtid(Connection connection, String sql) throws SQLException {
        run(connection, sql);
        return one(connection, "SELECT @@last_gtid");
    }

    /** Returns the phases that the primary's log has of a statement. */
    private static List<String> phases(String sql) throws SQLException {
        List<String> phases = new ArrayList<>();
        String file;
        try (Connection direct = pair.primary().connect();
                Statement statement = direct.createStatement()) {
            try (ResultSet rows = statement.executeQuery("SHOW MASTER STATUS")) {
                rows.next();
                file = rows.getString(1);
            }
            String phase = "";
            try (ResultSet rows = statement.executeQuery("SHOW BINLOG EVENTS IN '" + file + "'")) {
                while (rows.next()) {
                    String info = rows.getString("Info");
                    if (rows.getString("Event_type").equals("Gtid")) {
                        phase = info.contains("START ALTER") ? "start" : info.contains("COMMIT ALTER") ? "commit" : "";
                    } else if (info.endsWith(sql)) {
                        phases.add(phase);
                    }
                }
            }
        }
        return phases;
    }

    @Test
    void logsAnAlterInTwoPhasesAndOnlyIt() throws Exception {
        try (DomainProxy proxy = pair.proxy(RULES);
                Connection app = connect(proxy, "plain", "")) {
            run(app, "ALTER TABLE items ADD two_phase INT");
            assertThat(one(app, "SELECT @@binlog_alter_two_phase")).isEqualTo("0");
            run(app, "INSERT INTO items VALUES (2, 0, 0)");
            assertThat(phases("ALTER TABLE items ADD two_phase INT")).containsExactly("start", "commit");
            assertThat(count(proxy, "two_phase", "steered")).isEqualTo(1);
            assertThat(proxy.meters().getMeters().stream()
                            .map(Meter::getId)
                            .map(Meter.Id::getName)
                            .filter(name -> name.startsWith("understudy.gtid.domain")))
                    .as("nothing of the domains runs without a rule that has one")
                    .isEmpty();
        }
        pair.awaitCaughtUp();
    }

    @Test
    void givesTheGlobalDefaultBack() throws Exception {
        pair.primary().execute("SET GLOBAL binlog_alter_two_phase=1");
        try (DomainProxy proxy = pair.proxy(RULES);
                Connection app = connect(proxy, "plain", "")) {
            run(app, "ALTER TABLE items COMMENT 'default'");
            assertThat(one(app, "SELECT @@binlog_alter_two_phase")).isEqualTo("1");
        } finally {
            pair.primary().execute("SET GLOBAL binlog_alter_two_phase=0");
        }
    }

    @Test
    void marksTheWritersOfAHotRow() throws Exception {
        try (DomainProxy proxy = pair.proxy(RULES);
                Connection app = connect(proxy, "plain", "")) {
            String before = gtid(app, "UPDATE items SET n = n + 1 WHERE id = 1");
            String hot = gtid(app, "UPDATE counters SET n = n + 1");
            assertThat(one(app, "SELECT @@skip_parallel_replication")).isEqualTo("0");
            String after = gtid(app, "UPDATE items SET n = n + 1 WHERE id = 1");
            app.setAutoCommit(false);
            run(app, "SELECT n FROM counters WHERE id = 1 FOR UPDATE");
            run(app, "UPDATE items SET n = n + 1 WHERE id = 1");
            run(app, "UPDATE counters SET n = n + 1");
            app.commit();
            String transaction = one(app, "SELECT @@last_gtid");
            app.rollback();
            run(app, "UPDATE items SET n = n + 1 WHERE id = 1");
            app.commit();
            String unmarked = one(app, "SELECT @@last_gtid");
            GtidEvents events = GtidEvents.of(pair.primary());
            assertThat(events.allowsParallel(before)).isTrue();
            assertThat(events.allowsParallel(hot)).isFalse();
            assertThat(events.allowsParallel(after)).isTrue();
            assertThat(events.allowsParallel(transaction)).isFalse();
            assertThat(events.allowsParallel(unmarked)).isTrue();
        }
        pair.awaitCaughtUp();
    }

    @Test
    void decidesAnExplicitTransactionByItsSession() throws Exception {
        try (DomainProxy proxy = pair.proxy(RULES);
                Connection batch = connect(proxy, "archiver", "");
                Connection app = connect(proxy, "plain", "")) {
            run(batch, "BEGIN");
            run(batch, "UPDATE items SET n = n + 1 WHERE id = 1");
            run(batch, "COMMIT");
            String marked = one(batch, "SELECT @@last_gtid");
            run(app, "BEGIN");
            run(app, "UPDATE counters SET n = n + 1");
            run(app, "COMMIT");
            String unknown = one(app, "SELECT @@last_gtid");
            GtidEvents events = GtidEvents.of(pair.primary());
            assertThat(events.allowsParallel(marked)).isFalse();
            assertThat(events.allowsParallel(unknown)).isTrue();
            assertThat(count(proxy, "skip_parallel", "in_transaction")).isEqualTo(1);
            assertThat(one(batch, "SELECT @@skip_parallel_replication")).isEqualTo("0");
        }
        pair.awaitCaughtUp();
    }

    @Test
    void marksThePipelinedExecutionsOfAPreparedStatement() throws Exception {
        try (DomainProxy proxy = pair.proxy(RULES);
                Connection app = connect(proxy, "plain", "&useServerPrepStmts=true")) {
            String gtid;
            try (PreparedStatement update = app.prepareStatement("UPDATE counters SET n = n + ? WHERE id = ?")) {
                update.setInt(1, 1);
                update.setInt(2, 1);
                update.executeUpdate();
                gtid = one(app, "SELECT @@last_gtid");
            }
            assertThat(GtidEvents.of(pair.primary()).allowsParallel(gtid)).isFalse();
        }
        pair.awaitCaughtUp();
    }

    @Test
    void respectsAClientsOwnSetUntilItsReset() throws Exception {
        try (DomainProxy proxy = pair.proxy(RULES);
                MariaDbPoolDataSource pool =
                        new MariaDbPoolDataSource(url(proxy, "plain") + "&maxPoolSize=1&useResetConnection=true")) {
            try (Connection app = pool.getConnection()) {
                run(app, "SET SESSION skip_parallel_replication=0");
                String own = gtid(app, "UPDATE counters SET n = n + 1");
                assertThat(GtidEvents.of(pair.primary()).allowsParallel(own)).isTrue();
                run(app, "SET binlog_alter_two_phase=1");
                run(app, "ALTER TABLE items COMMENT 'own'");
                assertThat(one(app, "SELECT @@binlog_alter_two_phase")).isEqualTo("1");
                assertThat(count(proxy, "skip_parallel", "respected")).isEqualTo(1);
                assertThat(count(proxy, "two_phase", "respected")).isEqualTo(1);
            }
            try (Connection app = pool.getConnection()) {
                String hot = gtid(app, "UPDATE counters SET n = n + 1");
                assertThat(GtidEvents.of(pair.primary()).allowsParallel(hot)).isFalse();
            }
        }
        pair.awaitCaughtUp();
    }

    @Test
    void setsADomainAndALeverForOneStatement() throws Exception {
        String section = """
                mode: tag
                guard: off
                rules: [ { name: alters, match: { kind: ddl }, domain: 21, alter: two-phase } ]
                """;
        try (DomainProxy proxy = pair.proxy(section);
                Connection app = connect(proxy, "tagger", "")) {
            assertThat(gtid(app, "ALTER TABLE items COMMENT 'both'")).startsWith("21-");
            assertThat(phases("ALTER TABLE items COMMENT 'both'")).containsExactly("start", "commit");
            assertThat(one(app, "SELECT CONCAT(@@gtid_domain_id, @@binlog_alter_two_phase + 0)"))
                    .isEqualTo("00");
            assertThat(count(proxy, "domain", "tagged")).isEqualTo(1);
        }
        pair.awaitCaughtUp();
        // An account that may not set the domain still gets the lever.
        try (DomainProxy proxy = pair.proxy(section);
                Connection app = connect(proxy, "plain", "")) {
            assertThat(gtid(app, "ALTER TABLE items COMMENT 'lever'")).startsWith("0-");
            assertThat(phases("ALTER TABLE items COMMENT 'lever'")).containsExactly("start", "commit");
        }
        pair.awaitCaughtUp();
    }

    /** Both have the same rules, and one of them has the writers. */
    @Test
    void aPassiveProxyGoesOnWithTheTagsOfTheActiveOne() throws Exception {
        String section = """
                mode: tag
                guard: pin
                learn: 0s
                poll: 20ms
                rules: [ { name: handed, match: { table: handed }, domain: 18 } ]
                """;
        pair.primary().execute("CREATE TABLE dom.handed (id INT PRIMARY KEY, n INT)");
        pair.primary().execute("INSERT INTO dom.handed VALUES (1, 0)");
        pair.awaitCaughtUp();
        try (DomainProxy passive = pair.proxy(section)) {
            passive.awaitGuard();
            await().until(() -> passive.state("binlog").equals("reading"));
            try (DomainProxy active = pair.proxy(section);
                    Connection app = connect(active, "tagger", "")) {
                active.awaitGuard();
                assertTagged(app);
                for (int i = 0; i < 50; i++) {
                    run(app, "UPDATE handed SET n = n + 1");
                }
                await().until(() -> passive.state("taggedByOthers").toString().contains("18"));
            }
            try (Connection app = connect(passive, "tagger", "")) {
                assertTagged(app);
            }
            assertThat(passive.conflicts()).isZero();
            assertThat(passive.count("kept_default")).isZero();
        }
        pair.awaitCaughtUp();
    }

    private static void assertTagged(Connection app) {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() ->
                        assertThat(gtid(app, "UPDATE handed SET n = n + 1")).startsWith("18-"));
    }

    @Test
    void onlyCountsInModeAdvise() throws Exception {
        try (DomainProxy proxy = pair.proxy(RULES.replace("mode: tag", "mode: advise"));
                Connection app = connect(proxy, "plain", "")) {
            run(app, "ALTER TABLE items COMMENT 'advised'");
            String hot = gtid(app, "UPDATE counters SET n = n + 1");
            assertThat(phases("ALTER TABLE items COMMENT 'advised'")).containsExactly("");
            assertThat(GtidEvents.of(pair.primary()).allowsParallel(hot)).isTrue();
            assertThat(count(proxy, "two_phase", "advised")).isEqualTo(1);
            assertThat(count(proxy, "skip_parallel", "advised")).isEqualTo(1);
        }
        pair.awaitCaughtUp();
    }
}
