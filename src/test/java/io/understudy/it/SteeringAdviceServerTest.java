package io.understudy.it;

import static io.understudy.it.DomainPair.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.config.Address;
import io.understudy.config.PrimaryConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.steering.LiveAdvice;
import io.understudy.steering.LiveBinlog;
import io.understudy.steering.parallelism.ApplyCost;
import io.understudy.steering.parallelism.Workload;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code report steering -c} says held up a real standby: each kind of load is found, and a quiet one is not. */
@Timeout(240)
@SuppressWarnings("NullAway") // absent keys are null
class SteeringAdviceServerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int HOT_WRITES = 300;
    private static final int HOT_SESSIONS = 4;

    private static DomainPair pair;

    @BeforeAll
    static void start() throws Exception {
        pair = DomainPair.start();
        pair.primary()
                .execute(
                        "CREATE TABLE dom.counters (id INT PRIMARY KEY, n INT, note VARCHAR(40), paid DECIMAL(12,3),"
                                + " at DATETIME(3), kind ENUM('a','b'))",
                        "INSERT INTO dom.counters SELECT seq, 0, 'counter', 1.5, NOW(3), 'b' FROM dom.seq_1_to_4",
                        "CREATE TABLE dom.orders (id INT PRIMARY KEY AUTO_INCREMENT, n INT)",
                        "INSERT INTO dom.orders (n) SELECT seq FROM dom.seq_1_to_100",
                        "CREATE TABLE dom.items (id INT PRIMARY KEY AUTO_INCREMENT, n INT)");
        pair.awaitCaughtUp();
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    /** Advice that begins now. */
    private static LiveAdvice advice() throws Exception {
        LiveAdvice live = new LiveAdvice(
                DomainProxy.load(pair, "watch", "mode: advise").config(), null, new Workload(5_000, ApplyCost.DEFAULT));
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(rows(live.view(), "standbys").get(0)).containsKey("slaveParallelThreads");
            assertThat(live.reads()).isTrue();
        });
        return live;
    }

    /** After a failover the first candidate is down, or a standby whose log says nothing of what clients wait for. */
    @Test
    void ofSeveralCandidatesTheWritableOneIsRead() throws Exception {
        UnderstudyConfig config =
                DomainProxy.load(pair, "watch", "mode: advise").config();
        List<Address> candidates = new ArrayList<>();
        config.standbys().forEach(standby -> candidates.add(standby.address()));
        candidates.add(config.primary().address());
        try (LiveBinlog log = new LiveBinlog(
                new PrimaryConfig(
                        null,
                        candidates,
                        config.primary().tls(),
                        null,
                        null,
                        null,
                        config.primary().monitor()),
                new Workload(5_000, ApplyCost.DEFAULT),
                entry -> {})) {
            assertThat(log.address()).isEqualTo(config.primary().address());
            await().atMost(PATIENCE).until(log::reads);
        }
    }

    private static Connection app() throws SQLException {
        Connection connection = pair.primary().connect();
        run(connection, "USE dom");
        return connection;
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> rows(Map<String, Object> view, String key) {
        return (List<Map<String, Object>>) Views.value(view, key);
    }

    /** Returns the first finding of a kind. A busy machine may stall a standby at any statement. */
    private static Map<String, Object> awaitFinding(LiveAdvice live, String kind) {
        await().atMost(PATIENCE).until(() -> !ofKind(live, kind).isEmpty());
        return ofKind(live, kind).get(0);
    }

    private static List<Map<String, Object>> ofKind(LiveAdvice live, String kind) {
        return rows(view(live), "findings").stream()
                .filter(finding -> kind.equals(finding.get("kind")))
                .toList();
    }

    private static Map<String, Object> view(LiveAdvice live) {
        try {
            return live.view();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, Object> action(Map<String, Object> finding) {
        return rows(finding, "actions").get(0);
    }

    private static void insert(int count) throws SQLException {
        try (Connection app = app();
                Statement statement = app.createStatement()) {
            for (int i = 0; i < count; i++) {
                statement.execute("INSERT INTO items (n) VALUES (" + i + ")");
            }
        }
    }

    private static Statement begun(Connection standby, String read) throws SQLException {
        Statement statement = standby.createStatement();
        statement.execute("BEGIN");
        statement.executeQuery(read).close();
        return statement;
    }

    @Test
    void namesAnAlterThatHeldUpOthersAndTwoPhasesForIt() throws Exception {
        try (LiveAdvice live = advice();
                Connection app = app();
                Connection reader = pair.standby().connect()) {
            // The reader's metadata lock makes the ALTER take as long as the test needs.
            try (Statement held = begun(reader, "SELECT * FROM dom.orders LIMIT 1")) {
                run(app, "ALTER TABLE orders FORCE, ALGORITHM=COPY");
                insert(30);
                Map<String, Object> finding = awaitFinding(live, "schema-change");
                assertThat(finding).containsEntry("subject", "alter dom.orders").containsEntry("measured", true);
                held.execute("ROLLBACK");
            }
            pair.awaitCaughtUp();
            Map<String, Object> first = action(awaitFinding(live, "schema-change"));
            assertThat(first)
                    .containsEntry("action", "alter: two-phase")
                    .containsEntry("rule", "- { name: alters, match: { kind: ddl }, alter: two-phase }");
            assertThat((double) Views.value(first, "savesSeconds")).isGreaterThan(0.1);
        }
    }

    @Tag("long")
    @Test
    void namesALongTransactionAndItsPieces() throws Exception {
        try (LiveAdvice live = advice();
                Connection app = app()) {
            run(app, "SET SESSION binlog_format=STATEMENT");
            run(app, "INSERT INTO orders (n) SELECT SLEEP(2)");
            insert(30);
            Map<String, Object> finding = awaitFinding(live, "long-transaction");
            assertThat(finding).containsEntry("subject", "insert dom.orders");
            assertThat(action(finding)).containsEntry("action", "split");
            assertThat(rows(finding, "actions").get(1)).containsEntry("action", "domain: N");
            pair.awaitCaughtUp();
        }
    }

    @Test
    void namesAHotRowThatTheStandbyRepeats() throws Exception {
        try (LiveAdvice live = advice()) {
            pair.standby().execute("STOP SLAVE SQL_THREAD");
            ExecutorService sessions = Executors.newFixedThreadPool(HOT_SESSIONS);
            try {
                List<Future<?>> running = new ArrayList<>();
                for (int session = 0; session < HOT_SESSIONS; session++) {
                    running.add(sessions.submit(() -> {
                        hotWrites();
                        return null;
                    }));
                }
                for (Future<?> each : running) {
                    each.get();
                }
            } finally {
                sessions.shutdownNow();
            }
            pair.standby().execute("START SLAVE SQL_THREAD");
            pair.awaitCaughtUp();
            Map<String, Object> finding = awaitFinding(live, "hot-rows");
            assertThat(finding).containsEntry("subject", "dom.counters");
            assertThat(action(finding))
                    .containsEntry("action", "parallel: skip")
                    .containsEntry(
                            "rule", "- { name: hot-dom-counters, match: { table: dom.counters }, parallel: skip }");
        }
    }

    private static void hotWrites() throws SQLException {
        try (Connection app = app();
                Statement statement = app.createStatement()) {
            for (int i = 0; i < HOT_WRITES; i++) {
                statement.execute("UPDATE counters SET n = n + 1 WHERE id = 1");
                if (i % 4 == 0) {
                    statement.execute("INSERT INTO items (n) VALUES (0)");
                }
            }
        }
    }

    @Test
    void findsNothingInAQuietLoad() throws Exception {
        try (LiveAdvice live = advice();
                Connection app = app()) {
            run(app, "ALTER TABLE orders COMMENT 'quick'");
            for (int i = 0; i < 40; i++) {
                run(app, "UPDATE counters SET n = n + 1 WHERE id = 1");
                run(app, "INSERT INTO items (n) VALUES (" + i + ")");
            }
            pair.awaitCaughtUp();
            await().atMost(PATIENCE)
                    .until(() -> view(live).get("transactions") instanceof Number read && read.intValue() >= 81);
            // A standby without its share of a busy machine falls behind the ALTER, and does repeat these updates.
            boolean repeats = standbyRetries(live) >= 20;
            assertThat(rows(view(live), "findings"))
                    .filteredOn(finding -> !"unexplained".equals(finding.get("kind")))
                    .filteredOn(finding -> !(repeats && "hot-rows".equals(finding.get("kind"))))
                    .isEmpty();
        }
    }

    private static long standbyRetries(LiveAdvice live) {
        return ((Number) Views.value(rows(view(live), "standbys").get(0), "retries")).longValue();
    }

    /** The end of a row is found by its columns' types, so a type read wrongly would hide that both changed one row. */
    @Test
    void recognisesARowWhateverTypesItHas() throws Exception {
        List<Workload.Entry> entries = new ArrayList<>();
        try (Connection primary = pair.primary().connect()) {
            run(
                    primary,
                    "CREATE TABLE dom.types (id INT PRIMARY KEY, a TINYINT, b SMALLINT, c MEDIUMINT, d BIGINT,"
                            + " e FLOAT, f DOUBLE, g DECIMAL(30,11), h DATE, i TIME(6), j DATETIME(1),"
                            + " k TIMESTAMP(4) NULL, l YEAR, m BIT(11), n ENUM('x','y'), o SET('p','q'), p CHAR(9),"
                            + " q VARCHAR(20), r VARCHAR(500), s BINARY(7), t TINYBLOB, u TEXT, v MEDIUMTEXT,"
                            + " w LONGBLOB, x JSON, y POINT, z INET6, nothing INT, last INT)");
            run(
                    primary,
                    "INSERT INTO dom.types VALUES (1, 2, 3, 4, 5, 6.5, 7.5, 123456789.987654321, '2026-01-02',"
                            + " '10:11:12.123456', '2026-01-02 03:04:05.6', '2026-01-02 03:04:05.6789', 2026, b'101',"
                            + " 'y', 'p,q', 'nine', 'twenty', 'five hundred', 'bytes', 'tiny', 'text', 'medium',"
                            + " 'long', '{}', POINT(1, 2), '::1', NULL, 0)");
            run(primary, "UPDATE dom.types SET last = last + 1");
            run(primary, "INSERT INTO dom.items (n) VALUES (1)");
            run(primary, "UPDATE dom.types SET last = last + 1");
            run(primary, "DELETE FROM dom.types");
            Workload workload = new Workload(10, ApplyCost.DEFAULT);
            workload.read(GtidEvents.newest(pair.primary()));
            entries.addAll(workload.entries());
        }
        List<Workload.Entry> last = entries.subList(entries.size() - 5, entries.size());
        assertThat(last).extracting(Workload.Entry::distance).containsExactly(0, 1, 0, 2, 1);
        assertThat(last).allMatch(entry -> entry.hints().rows().complete());
    }
}
