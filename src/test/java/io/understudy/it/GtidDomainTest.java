package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.ProxyServer;
import io.understudy.cli.embedded.EmbeddedPair;
import io.understudy.cli.embedded.PairOptions;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugins.gtiddomain.GtidDomainConfig;
import io.understudy.plugins.gtiddomain.GtidDomainPlugin;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The plugin {@code gtid-domain} in a whole proxy, before a primary and a standby that applies in parallel. */
@Timeout(240)
class GtidDomainTest {
    private static final String PASSWORD = "s3same-domain";
    private static EmbeddedPair pair;

    @BeforeAll
    static void start() throws Exception {
        pair = EmbeddedPair.start(PairOptions.defaults().withParallelThreads(8).withSemiSync(false));
        pair.createAccount(
                "watch",
                PASSWORD,
                "SELECT, TRIGGER, PROCESS, REPLICATION SLAVE, REPLICA MONITOR, BINLOG MONITOR ON *.*");
        pair.createAccount("tagger", PASSWORD, "ALL ON *.*");
        pair.createAccount("archiver", PASSWORD, "ALL ON *.*");
        pair.createAccount("plain", PASSWORD, "SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, EXECUTE ON *.*");
        pair.primary().execute("CREATE DATABASE dom");
        pair.primary().execute("CREATE DATABASE tools");
        pair.primary()
                .execute("CREATE DEFINER=root@localhost PROCEDURE tools.set_domain(d BIGINT) SQL SECURITY DEFINER"
                        + " SET SESSION gtid_domain_id=d");
        pair.awaitCaughtUp(Duration.ofSeconds(20));
    }

    @AfterAll
    static void stop() throws Exception {
        pair.close();
    }

    /** A proxy with its plugin and counters. */
    private record Proxy(ProxyServer server, SimpleMeterRegistry meters) implements AutoCloseable {
        static Proxy start(String section) throws Exception {
            return start("watch", section);
        }

        static Proxy start(String monitor, String section) throws Exception {
            String text = """
                    transport: nio
                    listen: { address: "127.0.0.1:0" }
                    primary:
                      address: 127.0.0.1:%d
                      monitor: { user: %s, password: %s }
                    standbys:
                      - { name: s1, address: "127.0.0.1:%d", user: watch, password: %s }
                    plugins:
                      gtid-domain:
                    %s""".formatted(
                    pair.primary().port(), monitor, PASSWORD, pair.standby().port(), PASSWORD, section.indent(4));
            LoadedConfig loaded =
                    ConfigLoader.load(text, "test.yaml", Map.of("gtid-domain", GtidDomainConfig.class), name -> null);
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            Map<String, ProxyPlugin<?>> plugins = Map.of("gtid-domain", new GtidDomainPlugin());
            ProxyServer server = new ProxyServer(loaded, plugins, meters);
            server.start();
            return new Proxy(server, meters);
        }

        Connection connect(String user) throws SQLException {
            int port = ((InetSocketAddress) server.addresses().get(0)).getPort();
            return DriverManager.getConnection(
                    "jdbc:mariadb://127.0.0.1:" + port + "/dom?sslMode=disable&user=" + user + "&password=" + PASSWORD);
        }

        double count(String outcome) {
            return meters.find("understudy.gtid.domain.statements").tag("outcome", outcome).counters().stream()
                    .mapToDouble(Counter::count)
                    .sum();
        }

        @SuppressWarnings("unchecked")
        Map<String, Object> state() {
            Map<String, Object> view = (Map<String, Object>)
                    server.published().views().get("domains").get();
            return (Map<String, Object>) view.get("guardState");
        }

        /** The guard knows the tables and the standby has applied what was before. */
        void awaitGuard() {
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> state().get("problem").equals("")
                            && state().get("dictionaryStale").equals(false)
                            && state().get("learning").equals(false));
        }

        @Override
        public void close() {
            server.close();
        }
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String one(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    private static Connection direct(int port) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mariadb://127.0.0.1:" + port + "/?sslMode=disable&user=watch&password=" + PASSWORD);
    }

    @Test
    void aSchemaChangeIsTaggedAndWhatFollowsIsNot() throws Exception {
        try (Proxy proxy = Proxy.start("""
                mode: tag
                guard: pin
                learn: 0s
                poll: 50ms
                rules: [ { name: schema-changes, match: { kind: ddl }, domain: 10 } ]
                """)) {
            try (Connection connection = proxy.connect("tagger");
                    Connection primary = direct(pair.primary().port())) {
                run(connection, "CREATE TABLE tagged (id INT PRIMARY KEY)");
                run(connection, "CREATE TABLE untouched (id INT PRIMARY KEY)");
                proxy.awaitGuard();
                // New tables stay in the default domain; ALTER of a known one leaves it once nothing is outstanding.
                await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                    proxy.awaitGuard();
                    run(connection, "ALTER TABLE tagged FORCE");
                    assertThat(one(primary, "SELECT @@gtid_binlog_pos")).contains("10-");
                });
                run(connection, "INSERT INTO untouched VALUES (1)");
                assertThat(one(connection, "SELECT @@gtid_domain_id")).isEqualTo("0");
                assertThat(proxy.count("tagged")).isPositive();
            }
            pair.awaitCaughtUp(Duration.ofSeconds(20));
        }
    }

    @Test
    void withoutThePrivilegeTheStatementGoesOnUntagged() throws Exception {
        try (Proxy proxy = Proxy.start("""
                mode: tag
                guard: off
                rules: [ { name: all, domain: 12 } ]
                """)) {
            try (Connection connection = proxy.connect("plain")) {
                run(connection, "CREATE TABLE plain_table (id INT PRIMARY KEY)");
                for (int i = 0; i < 5; i++) {
                    run(connection, "INSERT INTO plain_table VALUES (" + i + ")");
                }
                assertThat(one(connection, "SELECT COUNT(*) FROM plain_table")).isEqualTo("5");
                assertThat(one(connection, "SELECT @@gtid_domain_id")).isEqualTo("0");
            }
            assertThat(proxy.count("refused_1227")).isEqualTo(3);
            assertThat(proxy.count("left_alone")).isEqualTo(3);
        }
    }

    @Test
    void aDefinerRightsProcedureStandsInForThePrivilege() throws Exception {
        try (Proxy proxy = Proxy.start("""
                mode: tag
                guard: off
                procedure: tools.set_domain
                rules: [ { name: all, domain: 13 } ]
                """)) {
            try (Connection connection = proxy.connect("plain")) {
                run(connection, "CREATE TABLE by_procedure (id INT PRIMARY KEY)");
                assertThat(one(connection, "SELECT @@gtid_domain_id")).isEqualTo("13");
            }
            assertThat(proxy.count("tagged")).isEqualTo(1);
        }
    }

    @Test
    void settingADomainLeavesTheLastInsertIdAlone() throws Exception {
        pair.primary().execute("CREATE TABLE dom.ids (id INT PRIMARY KEY AUTO_INCREMENT, v INT) AUTO_INCREMENT = 77");
        for (String procedure : List.of("", "procedure: tools.set_domain")) {
            try (Proxy proxy = Proxy.start("""
                    mode: tag
                    guard: off
                    rules: [ { name: updates, match: { kind: update }, domain: 14 } ]
                    """ + procedure);
                    Connection connection = proxy.connect("tagger")) {
                run(connection, "INSERT INTO ids (v) VALUES (1)");
                String id = one(connection, "SELECT LAST_INSERT_ID()");
                run(connection, "UPDATE ids SET v = LAST_INSERT_ID() WHERE id = LAST_INSERT_ID()");

                assertThat(one(connection, "SELECT @@gtid_domain_id")).isEqualTo("14");
                assertThat(one(connection, "SELECT v FROM ids WHERE id = " + id))
                        .isEqualTo(id);
                assertThat(one(connection, "SELECT LAST_INSERT_ID()")).isEqualTo(id);
            }
        }
    }

    @Test
    void whatAnUnreadableTriggerWritesIsLearnedFromTheBinaryLog() throws Exception {
        pair.createAccount("blind", PASSWORD, "SELECT, PROCESS, REPLICATION SLAVE, BINLOG MONITOR ON *.*");
        pair.primary()
                .execute(
                        "CREATE TABLE dom.hidden_src (id INT PRIMARY KEY)",
                        "CREATE TABLE dom.hidden_log (id INT PRIMARY KEY)",
                        "CREATE TRIGGER dom.hidden AFTER INSERT ON dom.hidden_src FOR EACH ROW INSERT INTO hidden_log VALUES (NEW.id)");
        pair.awaitCaughtUp(Duration.ofSeconds(20));
        try (Proxy proxy = Proxy.start("blind", """
                mode: tag
                guard: pin
                learn: 0s
                poll: 20ms
                rules: [ { name: source, match: { table: hidden_src }, domain: 15 } ]
                """);
                Connection connection = proxy.connect("tagger");
                Connection primary = direct(pair.primary().port())) {
            proxy.awaitGuard();
            await().until(() -> proxy.state().get("binlog").equals("reading"));
            int[] id = {0};
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                run(connection, "INSERT INTO hidden_src VALUES (" + id[0]++ + ")");
                assertThat(proxy.state().get("learnedTies").toString())
                        .contains("dom.hidden_src")
                        .contains("dom.hidden_log");
            });
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                run(connection, "INSERT INTO hidden_src VALUES (" + id[0]++ + ")");
                assertThat(one(connection, "SELECT @@gtid_domain_id")).isEqualTo("0");
            });
            assertThat(one(primary, "SELECT @@gtid_binlog_pos")).contains("15-");
        }
        pair.awaitCaughtUp(Duration.ofSeconds(20));
    }

    @Test
    void theFirstStatementOfAnAccountIsTaggedAlready() throws Exception {
        pair.createAccount("fresh", PASSWORD, "ALL ON *.*");
        pair.primary().execute("CREATE TABLE dom.first_word (id INT PRIMARY KEY)");
        pair.awaitCaughtUp(Duration.ofSeconds(20));
        try (Proxy proxy = Proxy.start("""
                mode: tag
                guard: pin
                learn: 0s
                rules: [ { name: first, match: { table: first_word }, domain: 16 } ]
                """);
                Connection primary = direct(pair.primary().port())) {
            proxy.awaitGuard();
            // A driver would ask for settings first.
            try (RawClient client = RawClient.open(proxy.server.addresses().get(0))) {
                client.login("fresh", PASSWORD, "dom", RawClient.PLAIN | RawClient.CONNECT_WITH_DB);
                client.command(3, "INSERT INTO first_word VALUES (1)");
                assertThat(client.read().isOk()).isTrue();
            }
            assertThat(one(primary, "SELECT @@gtid_binlog_pos")).contains("16-");
            assertThat(proxy.count("unproven")).isZero();
        }
    }

    /**
     * Some hundreds of writes a second, by several sessions. When they begin, another account's write, which waits for a lock, holds the
     * table in the default domain: it has to be waited for, whatever the poller has seen.
     */
    @Test
    void aBusyTableIsPassedOnInAPauseBetweenItsWrites() throws Exception {
        pair.primary().execute("CREATE TABLE dom.busy (id INT PRIMARY KEY, v INT)");
        pair.primary().execute("INSERT INTO dom.busy SELECT seq, 0 FROM dom.seq_0_to_19");
        pair.primary().execute("INSERT INTO dom.busy VALUES (1000, 0)");
        pair.awaitCaughtUp(Duration.ofSeconds(20));
        int sessions = 4;
        ExecutorService workers = Executors.newFixedThreadPool(sessions + 1);
        try (Connection locker = direct(pair.primary().port());
                Connection primary = direct(pair.primary().port());
                Proxy proxy = Proxy.start("""
                mode: tag
                guard: pin
                learn: 0s
                poll: 20s
                rules: [ { name: busy, match: { table: busy, user: tagger }, domain: 17 } ]
                """);
                Connection holder = proxy.connect("archiver")) {
            proxy.awaitGuard();
            run(locker, "BEGIN");
            run(locker, "SELECT v FROM dom.busy WHERE id = 1000 FOR UPDATE");
            Future<?> held = workers.submit(() -> {
                run(holder, "UPDATE busy SET v = v + 1 WHERE id = 1000");
                return null;
            });
            await().until(() -> proxy.state().get("writesInFlight").equals(1));
            AtomicInteger writes = new AtomicInteger();
            AtomicBoolean enough = new AtomicBoolean();
            List<Future<?>> load = new ArrayList<>();
            long started = System.nanoTime();
            try {
                for (int session = 0; session < sessions; session++) {
                    int seed = session;
                    load.add(workers.submit(() -> {
                        writeNowAndThen(proxy, seed, writes, enough);
                        return null;
                    }));
                }
                await().until(() -> writes.get() > 100);
                assertThat(one(primary, "SELECT @@gtid_binlog_pos")).doesNotContain("17-");
                run(locker, "ROLLBACK");
                held.get();
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> one(primary, "SELECT @@gtid_binlog_pos").contains("17-"));
            } finally {
                enough.set(true);
                run(locker, "ROLLBACK"); // or the waiting connection could not be closed
            }
            double seconds = (System.nanoTime() - started) / 1e9;
            for (Future<?> one : load) {
                one.get();
            }
            System.err.printf(
                    "passed %.1f s after the start, %.0f writes/s, %s%n",
                    seconds, writes.get() / seconds, proxy.state());
            assertThat((long) proxy.state().get("handovers")).isPositive();
            assertThat((long) proxy.state().get("quickLookBursts")).isPositive();
            assertThat(proxy.meters
                            .get("understudy.gtid.domain.handovers")
                            .functionCounter()
                            .count())
                    .isPositive();
        } finally {
            workers.shutdownNow();
        }
        pair.awaitCaughtUp(Duration.ofSeconds(20));
    }

    /** Pauses of 10 ms in the mean, twice as long every five seconds: a machine too slow for this pace shall find its own. */
    private static void writeNowAndThen(Proxy proxy, int seed, AtomicInteger writes, AtomicBoolean enough)
            throws SQLException {
        Random random = new Random(seed);
        long began = System.nanoTime();
        try (Connection connection = proxy.connect("tagger")) {
            while (!enough.get()) {
                run(
                        connection,
                        "UPDATE busy SET v = " + writes.incrementAndGet() + " WHERE id = " + random.nextInt(20));
                long pause = 10_000_000L << (System.nanoTime() - began) / 5_000_000_000L;
                LockSupport.parkNanos((long) (-Math.log(1 - random.nextDouble()) * pause));
            }
        }
    }

    /** @param poll with ten seconds tables pass by quick looks or not at all */
    @ParameterizedTest
    @ValueSource(strings = {"20ms", "10s"})
    void pinKeepsTheStandbyEqualUnderAConflictingLoad(String poll) throws Exception {
        int sessions = 6;
        int tables = 5;
        for (int table = 0; table < tables; table++) {
            pair.primary().execute("CREATE OR REPLACE TABLE dom.c" + table + " (id INT PRIMARY KEY, v INT)");
        }
        pair.primary().execute("CREATE OR REPLACE TABLE dom.shared (id INT PRIMARY KEY, v INT)");
        pair.awaitCaughtUp(Duration.ofSeconds(20));
        try (Proxy proxy = Proxy.start("""
                mode: tag
                guard: pin
                learn: 2s
                poll: %s
                rules:
                  - { name: by-user, match: { user: archiver }, domain: 20 }
                  - { name: by-kind, match: { kind: delete }, domain: 21 }
                  - { name: by-table, match: { table: [c0, c1] }, domain: 22 }
                """.formatted(poll))) {
            ExecutorService workers = Executors.newFixedThreadPool(sessions);
            try {
                List<Callable<Integer>> load = new ArrayList<>();
                for (int session = 0; session < sessions; session++) {
                    int seed = session;
                    load.add(() -> load(proxy, seed, tables));
                }
                for (Future<Integer> done : workers.invokeAll(load)) {
                    assertThat(done.get()).isPositive();
                }
            } finally {
                workers.shutdownNow();
            }
            pair.awaitCaughtUp(Duration.ofSeconds(60));
            String position;
            try (Connection primary = direct(pair.primary().port());
                    Connection standby = direct(pair.standby().port())) {
                position = one(primary, "SELECT @@gtid_binlog_pos");
                for (int table = 0; table < tables; table++) {
                    String sql = "SELECT COALESCE(SUM(CRC32(CONCAT_WS(':', id, v))), 0) FROM dom.c" + table;
                    assertThat(one(standby, sql)).as("table c" + table).isEqualTo(one(primary, sql));
                }
                String sql = "SELECT COALESCE(SUM(CRC32(CONCAT_WS(':', id, v))), 0) FROM dom.shared";
                assertThat(one(standby, sql)).isEqualTo(one(primary, sql));
            }
            System.err.printf("conflicting load, poll %s: %s, %s%n", poll, position, proxy.state());
            assertThat((long) proxy.state().get("handovers")).isPositive();
            assertThat(position).contains("20-").contains("22-");
            assertThat(proxy.count("tagged")).isPositive();
            assertThat(proxy.count("pinned") + proxy.count("kept_default")).isPositive();
        }
    }

    /** Single statements on the tables that all sessions write, and transactions on another one, for some seconds. */
    private static int load(Proxy proxy, int seed, int tables) throws SQLException {
        Random random = new Random(seed);
        int writes = 0;
        try (Connection connection = proxy.connect(seed % 2 == 0 ? "tagger" : "archiver")) {
            long end = System.nanoTime() + Duration.ofSeconds(12).toNanos();
            while (System.nanoTime() < end) {
                String table = "c" + random.nextInt(tables);
                int id = random.nextInt(5);
                switch (random.nextInt(4)) {
                    case 0 ->
                        run(connection, "REPLACE INTO " + table + " VALUES (" + id + ", " + random.nextInt() + ")");
                    case 1 -> run(connection, "UPDATE " + table + " SET v = " + random.nextInt() + " WHERE id = " + id);
                    case 2 -> run(connection, "DELETE FROM " + table + " WHERE id = " + id);
                    default -> {
                        run(connection, "BEGIN");
                        run(connection, "REPLACE INTO shared VALUES (" + seed + ", " + random.nextInt() + ")");
                        run(connection, "COMMIT");
                    }
                }
                writes++;
            }
        }
        return writes;
    }
}
