package io.understudy.it;

import static io.understudy.it.DomainPair.one;
import static io.understudy.it.DomainPair.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Gauge;
import io.understudy.testkit.ThinkTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that the guard of {@code gtid-domain} keeps dependent transactions in order, with a whole proxy and real
 * servers.
 */
@Timeout(240)
@Tag("long")
class GtidDomainGuardTest {
    private static DomainPair pair;

    @BeforeAll
    static void start() throws Exception {
        pair = DomainPair.start();
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    /**
     * The binary log does not have the trigger's creation, as if it had come from a server that was the primary then,
     * and the dictionary is read again only after a minute.
     */
    @Test
    void writesOfAnUnknownTriggerAreLearnedFromTheBinaryLog() throws Exception {
        pair.primary()
                .execute(
                        "CREATE TABLE dom.hidden_src (id INT PRIMARY KEY)",
                        "CREATE TABLE dom.hidden_log (id INT PRIMARY KEY)");
        pair.awaitCaughtUp();
        try (DomainProxy proxy = pair.proxy("""
                mode: tag
                guard: pin
                learn: 0s
                poll: 20ms
                rules: [ { name: source, match: { table: hidden_src }, domain: 15 } ]
                """);
                Connection connection = proxy.connect("tagger");
                Connection primary = pair.direct(pair.primary())) {
            proxy.awaitGuard();
            await().until(() -> proxy.state("binlog").equals("reading"));
            pair.primary()
                    .execute(
                            "SET sql_log_bin=0",
                            "CREATE TRIGGER dom.hidden AFTER INSERT ON dom.hidden_src FOR EACH ROW INSERT INTO"
                                    + " hidden_log VALUES (NEW.id)");
            int[] id = {0};
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                run(connection, "INSERT INTO hidden_src VALUES (" + id[0]++ + ")");
                assertThat(proxy.state("learnedTies").toString())
                        .contains("dom.hidden_src")
                        .contains("dom.hidden_log");
            });
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                run(connection, "INSERT INTO hidden_src VALUES (" + id[0]++ + ")");
                assertThat(one(connection, "SELECT @@last_gtid")).startsWith("0-");
            });
            assertThat(one(primary, "SELECT @@gtid_binlog_pos")).contains("15-");
        }
        pair.awaitCaughtUp();
    }

    /** The primary's own entry is no standby, and each rule's domain has figures from the start. */
    @Test
    void writesAreTaggedWithBothServersUnderStandbys() throws Exception {
        pair.primary().execute("CREATE TABLE dom.both_listed (id INT PRIMARY KEY)");
        pair.awaitCaughtUp();
        try (DomainProxy proxy = DomainProxy.startWithBoth(pair, """
                mode: tag
                guard: pin
                learn: 0s
                poll: 20ms
                rules: [ { name: both, match: { table: both_listed }, domain: 16 } ]
                """);
                Connection connection = proxy.connect("tagger")) {
            proxy.awaitGuard();
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                run(connection, "REPLACE INTO both_listed VALUES (1)");
                return one(connection, "SELECT @@last_gtid").startsWith("16-");
            });
            for (int id = 2; id <= 17; id++) {
                run(connection, "INSERT INTO both_listed VALUES (" + id + ")");
                assertThat(one(connection, "SELECT @@last_gtid")).startsWith("16-");
            }
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                Gauge lag = proxy.meters()
                        .find("understudy.domain.lag.transactions")
                        .tag("standby", "s1")
                        .tag("domain", "16")
                        .gauge();
                return lag != null && lag.value() == 0;
            });
        }
        pair.awaitCaughtUp();
    }

    /**
     * The dictionary has no row for a trigger that the account has no privilege for, and with MIXED no log shows it.
     */
    @Test
    void withoutThePrivilegeToSeeTriggersNoTableLeavesTheDefaultDomain() throws Exception {
        pair.account("blind", "SELECT, PROCESS, REPLICATION SLAVE, BINLOG MONITOR ON *.*");
        pair.primary().execute("CREATE TABLE dom.may_have (id INT PRIMARY KEY)");
        pair.awaitCaughtUp();
        try (DomainProxy proxy = pair.proxy("blind", """
                mode: tag
                guard: pin
                learn: 0s
                poll: 20ms
                rules: [ { name: all, match: { table: may_have }, domain: 15 } ]
                """);
                Connection connection = proxy.connect("tagger")) {
            proxy.awaitGuard();
            assertThat(proxy.state("codeUnseen").toString()).contains("dom");
            for (int id = 0; id < 20; id++) {
                run(connection, "INSERT INTO may_have VALUES (" + id + ")");
                assertThat(one(connection, "SELECT @@last_gtid")).startsWith("0-");
            }
        }
        pair.awaitCaughtUp();
    }

    /** With MIXED the log has their texts only. */
    @Test
    void directWritersAreSeenInMixedFormat() throws Exception {
        pair.primary().execute("CREATE TABLE dom.mixed (id INT PRIMARY KEY, v INT)", "SET GLOBAL binlog_format=MIXED");
        pair.primary().execute("INSERT INTO dom.mixed VALUES (1, 0)");
        pair.awaitCaughtUp();
        try (DomainProxy proxy = pair.proxy("""
                mode: tag
                guard: pin
                learn: 0s
                poll: 20ms
                rules: [ { name: mixed, match: { table: mixed }, domain: 15 } ]
                """);
                Connection connection = proxy.connect("tagger")) {
            proxy.awaitGuard();
            await().until(() -> proxy.state("binlog").equals("reading"));
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                run(connection, "UPDATE mixed SET v = v + 1");
                assertThat(one(connection, "SELECT @@last_gtid")).startsWith("15-");
            });
            assertThat(proxy.state("unseenWrites")).isEqualTo(0L);
            pair.standby().execute("STOP SLAVE SQL_THREAD");
            try {
                run(connection, "UPDATE mixed SET v = v + 1");
                pair.primary().execute("UPDATE dom.mixed SET v = v + 10");
                await().until(() -> proxy.state("unseenWrites").equals(1L));
                assertThat(proxy.conflicts())
                        .as("the guard has seen it in two domains")
                        .isEqualTo(1);
            } finally {
                pair.standby().execute("START SLAVE SQL_THREAD");
            }
            pair.awaitCaughtUp();
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                run(connection, "UPDATE mixed SET v = v + 1");
                assertThat(one(connection, "SELECT @@last_gtid")).startsWith("0-");
            });
        } finally {
            pair.primary().execute("SET GLOBAL binlog_format=ROW");
        }
        pair.awaitCaughtUp();
    }

    /**
     * Several sessions make some hundreds of writes a second. When they start, a write of another account waits for a
     * lock and so keeps the table in the default domain. The handover must wait for that write, whatever the probes
     * have shown.
     */
    @Test
    void aBusyTableIsHandedOverBetweenTwoWrites() throws Exception {
        pair.primary().execute("CREATE TABLE dom.busy (id INT PRIMARY KEY, v INT)");
        pair.primary().execute("INSERT INTO dom.busy SELECT seq, 0 FROM dom.seq_0_to_19");
        pair.primary().execute("INSERT INTO dom.busy VALUES (1000, 0)");
        pair.awaitCaughtUp();
        int sessions = 4;
        ExecutorService workers = Executors.newFixedThreadPool(sessions + 1);
        try (Connection locker = pair.direct(pair.primary());
                Connection primary = pair.direct(pair.primary());
                DomainProxy proxy = pair.proxy("""
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
            await().until(() -> proxy.state("writesInFlight").equals(1));
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
                run(locker, "ROLLBACK"); // otherwise the waiting connection could not be closed
            }
            double seconds = (System.nanoTime() - started) / 1e9;
            for (Future<?> one : load) {
                one.get();
            }
            System.err.printf(
                    "passed %.1f s after the start, %.0f writes/s, %s%n",
                    seconds, writes.get() / seconds, proxy.state());
            assertThat((long) proxy.state("handovers")).isPositive();
            assertThat((long) proxy.state("handoverProbes")).isPositive();
            assertThat(proxy.meters()
                            .get("understudy.gtid.domain.handovers")
                            .functionCounter()
                            .count())
                    .isPositive();
        } finally {
            workers.shutdownNow();
        }
        pair.awaitCaughtUp();
    }

    /**
     * Pauses 10 ms on average, twice as long every five seconds, so that a slow machine finds a pace that it can keep.
     */
    private static void writeNowAndThen(DomainProxy proxy, int seed, AtomicInteger writes, AtomicBoolean enough)
            throws SQLException {
        Random random = new Random(seed);
        long began = System.nanoTime();
        try (Connection connection = proxy.connect("tagger")) {
            while (!enough.get()) {
                run(
                        connection,
                        "UPDATE busy SET v = " + writes.incrementAndGet() + " WHERE id = " + random.nextInt(20));
                long pause = 10_000_000L << (System.nanoTime() - began) / 5_000_000_000L;
                ThinkTime.pause((long) (-Math.log(1 - random.nextDouble()) * pause));
            }
        }
    }

    /** @param poll with ten seconds, tables are handed over by quick probes or not at all */
    @Tag("quiet")
    @ParameterizedTest
    @ValueSource(strings = {"20ms", "10s"})
    void pinKeepsTheStandbyEqualUnderAConflictingLoad(String poll) throws Exception {
        int sessions = 6;
        int tables = 5;
        for (int table = 0; table < tables; table++) {
            pair.primary().execute("CREATE OR REPLACE TABLE dom.c" + table + " (id INT PRIMARY KEY, v INT)");
        }
        pair.primary().execute("CREATE OR REPLACE TABLE dom.shared (id INT PRIMARY KEY, v INT)");
        pair.awaitCaughtUp();
        try (DomainProxy proxy = pair.proxy("""
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
            try (Connection primary = pair.direct(pair.primary());
                    Connection standby = pair.direct(pair.standby())) {
                position = one(primary, "SELECT @@gtid_binlog_pos");
                for (int table = 0; table < tables; table++) {
                    String sql = "SELECT COALESCE(SUM(CRC32(CONCAT_WS(':', id, v))), 0) FROM dom.c" + table;
                    assertThat(one(standby, sql)).as("table c" + table).isEqualTo(one(primary, sql));
                }
                String sql = "SELECT COALESCE(SUM(CRC32(CONCAT_WS(':', id, v))), 0) FROM dom.shared";
                assertThat(one(standby, sql)).isEqualTo(one(primary, sql));
            }
            System.err.printf("conflicting load, poll %s: %s, %s%n", poll, position, proxy.state());
            assertThat((long) proxy.state("handovers")).isPositive();
            assertThat(position).contains("20-").contains("22-");
            assertThat(proxy.count("tagged")).isPositive();
            assertThat(proxy.count("pinned") + proxy.count("kept_default")).isPositive();
        }
    }

    /**
     * Runs single statements on tables that all sessions write, and transactions on another table: for 12 seconds, and
     * on until a table was handed over, with pauses that grow, so that a slow machine finds a pace that allows one.
     */
    private static int load(DomainProxy proxy, int seed, int tables) throws SQLException {
        Random random = new Random(seed);
        int writes = 0;
        try (Connection connection = proxy.connect(seed % 2 == 0 ? "tagger" : "archiver")) {
            long began = System.nanoTime();
            long seconds = 0;
            while (seconds < 12 || ((long) proxy.state("handovers") == 0 && seconds < 60)) {
                ThinkTime.pause(seconds < 12 ? 0 : 10_000_000L << (seconds - 12) / 5);
                seconds = (System.nanoTime() - began) / 1_000_000_000L;
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
