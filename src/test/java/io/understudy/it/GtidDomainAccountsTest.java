package io.understudy.it;

import static io.understudy.it.DomainPair.one;
import static io.understudy.it.DomainPair.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The guard and what the server allows: it knows accounts by user and host, and roles by session, while a rule names a
 * user.
 */
@Tag("long")
@Timeout(240)
class GtidDomainAccountsTest {
    private static final String GRANTED = "127.0.0.1";
    private static final String NOT_GRANTED = "127.0.0.2";
    private static final int SHARED = 3;

    private static DomainPair pair;

    @BeforeAll
    static void start() throws Exception {
        pair = DomainPair.start();
        pair.primary()
                .execute(
                        "SET GLOBAL proxy_protocol_networks='127.0.0.0/8'",
                        "CREATE ROLE tagging",
                        "GRANT BINLOG REPLAY ON *.* TO tagging",
                        "CREATE TABLE dom.own (id INT PRIMARY KEY, v INT)",
                        "CREATE TABLE dom.held (id INT PRIMARY KEY)",
                        "CREATE TABLE dom.first (id INT PRIMARY KEY, v INT)",
                        "INSERT INTO dom.first VALUES (1, 1)");
        for (int table = 0; table < SHARED; table++) {
            pair.primary().execute("CREATE TABLE dom.shared" + table + " (id INT PRIMARY KEY, v INT)");
        }
        for (String account : List.of("app@" + GRANTED, "app@" + NOT_GRANTED, "roled@'%'")) {
            pair.primary()
                    .execute(
                            "CREATE USER " + account + " IDENTIFIED BY '" + DomainPair.PASSWORD + "'",
                            "GRANT SELECT, INSERT, UPDATE, DELETE ON *.* TO " + account);
        }
        pair.primary().execute("GRANT BINLOG REPLAY ON *.* TO app@" + GRANTED, "GRANT tagging TO roled@'%'");
        pair.awaitCaughtUp();
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    /** Found as 200 on the primary and 100 on the standby, without any error. */
    @Test
    void theFirstWriteOfAnAccountThatNoRuleMatchesFollowsTheTablesOwner() throws Exception {
        try (DomainProxy proxy = pair.proxy("""
                mode: tag
                guard: pin
                learn: 0s
                poll: 20ms
                rules: [ { name: archiver, match: { user: archiver }, domain: 20 } ]
                """);
                Connection archiver = proxy.connect("archiver");
                Connection standby = pair.direct(pair.standby())) {
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                proxy.awaitGuard();
                run(archiver, "UPDATE first SET v = v + 1");
                assertThat(one(archiver, "SELECT @@last_gtid")).startsWith("20-");
            });
            pair.awaitCaughtUp();
            try (Connection held = pair.standby().connect()) {
                run(held, "LOCK TABLES dom.held WRITE");
                run(archiver, "INSERT INTO held VALUES (1)");
                run(archiver, "UPDATE first SET v = 100");
                try (Connection tagger = proxy.connect("tagger")) {
                    run(tagger, "UPDATE first SET v = 200");
                    assertThat(one(tagger, "SELECT @@last_gtid")).startsWith("20-");
                }
            }
            pair.awaitCaughtUp();
            assertThat(one(standby, "SELECT v FROM dom.first")).isEqualTo("200");
            assertThat(proxy.conflicts()).isZero();
        }
    }

    @Test
    void sessionsOfOneUserWithAndWithoutThePrivilegeKeepTheStandbyEqual() throws Exception {
        try (DomainProxy proxy = DomainProxy.startWithAddresses(pair, """
                mode: tag
                guard: pin
                learn: 0s
                poll: 20ms
                rules: [ { name: mixed, match: { table: [own, shared0, shared1, shared2] }, domain: 21 } ]
                """)) {
            proxy.awaitGuard();
            AtomicInteger id = new AtomicInteger();
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                try (Connection granted = proxy.connect("app", GRANTED)) {
                    assertThat(domainOfWrite(granted, "own", id.incrementAndGet()))
                            .isEqualTo("21");
                }
            });
            // What a session without the privilege has written once stays in the default domain.
            for (int table = 0; table < SHARED; table++) {
                try (Connection weak = proxy.connect("app", NOT_GRANTED)) {
                    assertThat(domainOfWrite(weak, "shared" + table, 0)).isEqualTo("0");
                }
            }
            List<Callable<Integer>> load = new ArrayList<>();
            for (int session = 0; session < 6; session++) {
                int seed = session;
                load.add(() -> load(proxy, seed));
            }
            ExecutorService workers = Executors.newFixedThreadPool(load.size());
            int own = 0;
            try {
                for (Future<Integer> done : workers.invokeAll(load)) {
                    own += done.get();
                }
            } finally {
                workers.shutdownNow();
            }
            pair.awaitCaughtUp(Duration.ofSeconds(60));
            System.err.printf("mixed grants: %d writes in domain 21, %s%n", own, proxy.state());
            try (Connection primary = pair.direct(pair.primary());
                    Connection standby = pair.direct(pair.standby())) {
                for (String table : List.of("own", "shared0", "shared1", "shared2")) {
                    String sql = "SELECT COALESCE(SUM(CRC32(CONCAT_WS(':', id, v))), 0) FROM dom." + table;
                    assertThat(one(standby, sql)).as(table).isEqualTo(one(primary, sql));
                }
            }
            assertThat(proxy.conflicts())
                    .as("the user's first session that was refused may have been believed to be allowed")
                    .isLessThanOrEqualTo(1);
        }
    }

    /** Writes for some seconds in short sessions; returns the number of writes that had to be, and were, tagged. */
    private static int load(DomainProxy proxy, int seed) throws SQLException {
        Random random = new Random(seed);
        boolean privileged = seed % 2 == 0;
        int own = 0;
        long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (System.nanoTime() < end) {
            try (Connection connection = seed < 4
                    ? proxy.connect("app", privileged ? GRANTED : NOT_GRANTED)
                    : proxy.connect("roled", GRANTED)) {
                if (seed == 4) {
                    run(connection, "SET ROLE tagging");
                    one(connection, "SELECT 1");
                }
                for (int write = random.nextInt(20); write >= 0; write--) {
                    if (privileged && random.nextBoolean()) {
                        assertThat(domainOfWrite(connection, "own", random.nextInt(5)))
                                .as("session %d", seed)
                                .isEqualTo("21");
                        own++;
                    } else {
                        String table = "shared" + random.nextInt(SHARED);
                        assertThat(domainOfWrite(connection, table, random.nextInt(5)))
                                .as("session %d", seed)
                                .isEqualTo("0");
                    }
                }
            }
        }
        return own;
    }

    private static String domainOfWrite(Connection connection, String table, int id) throws SQLException {
        run(connection, "REPLACE INTO " + table + " VALUES (" + id + ", " + System.nanoTime() % 1_000_000 + ")");
        return one(connection, "SELECT @@last_gtid").split("-")[0];
    }
}
