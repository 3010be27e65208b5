package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.DelayedLink;
import io.understudy.testkit.CapturedLog;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The witness before MySQL: {@code -Dunderstudy.it.mysql=DIR}. */
@EnabledIfSystemProperty(named = MySqlSemiSyncPair.PROPERTY, matches = ".+")
@Timeout(300)
class WitnessMySqlTest {
    private static Set<String> rows(Connection to) throws SQLException {
        Set<String> all = new HashSet<>();
        try (Statement statement = to.createStatement();
                ResultSet rows = statement.executeQuery("SELECT CONCAT(w, '-', n) FROM shop.t")) {
            while (rows.next()) {
                all.add(rows.getString(1));
            }
        }
        return all;
    }

    /** {@code -Dunderstudy.it.kills=20} for the figures. */
    static IntStream rounds() {
        return IntStream.rangeClosed(1, Integer.getInteger("understudy.it.kills", 1));
    }

    @ParameterizedTest
    @MethodSource("rounds")
    void everyAnsweredRowIsKept(int round) throws Exception {
        try (MySqlSemiSyncPair pair = new MySqlSemiSyncPair()) {
            try (Connection source = pair.connect();
                    Statement statement = source.createStatement()) {
                statement.execute("GRANT REPLICATION CLIENT ON *.* TO monitor");
                statement.execute(
                        "CREATE TABLE shop.t (w INT, n INT, filler VARCHAR(60), PRIMARY KEY (w, n)) ENGINE=InnoDB");
            }
            try (BlackBoxProxy proxy = BlackBoxProxy.start(
                    pair.address(), pair.replica(), "memory: 64MiB, poll: 100ms, acknowledge: memory")) {
                proxy.awaitWitness();
                Writers writers = Writers.start(8, proxy::connect);
                writers.awaitRows(200);
                pair.link().refuse();
                pair.link().cut();
                writers.awaitMore(100); // which the replica lacks
                pair.killSource();
                Set<String> answered = writers.join();
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> proxy.lostNow().number("receivedNotApplied", "count") == 0);
                LostView lost = proxy.lostNow();
                try (Connection replica = pair.connectReplica()) {
                    Set<String> missing = new HashSet<>(answered);
                    missing.removeAll(rows(replica));
                    System.out.println("MySQL, round " + round + ": answered " + answered.size() + ", missing "
                            + missing.size() + ", listed " + lost.number("answeredAndMissing", "count")
                            + ", not captured " + lost.number("answeredAndMissing", "notCaptured"));
                    assertThat(missing).isNotEmpty();
                    assertThat(lost.number("answeredAndMissing", "count")).isEqualTo(missing.size());
                    assertThat(lost.number("answeredAndMissing", "notCaptured")).isZero();
                    assertThat(lost.number("unknown", "transactions")).isZero();
                }
            }
        }
    }

    /** With two proxies, of which MySQL demands both: each alone has every answered row. */
    @Test
    void whereBothAreDemandedEachHasEveryAnsweredRow() throws Exception {
        String section = "memory: 64MiB, poll: 100ms, acknowledge: memory";
        try (MySqlSemiSyncPair pair = new MySqlSemiSyncPair();
                Connection source = pair.connect();
                Statement status = source.createStatement()) {
            status.execute("GRANT REPLICATION CLIENT ON *.* TO monitor");
            status.execute("CREATE TABLE shop.t (w INT, n INT, filler VARCHAR(60), PRIMARY KEY (w, n)) ENGINE=InnoDB");
            pair.link().refuse();
            pair.link().cut();
            try (BlackBoxProxy one = BlackBoxProxy.start(pair.address(), pair.replica(), section)) {
                one.awaitWitness();
                Writers writers;
                try (BlackBoxProxy gone = BlackBoxProxy.start(pair.address(), pair.replica(), section)) {
                    gone.awaitWitness();
                    status.execute("SET GLOBAL rpl_semi_sync_source_wait_for_replica_count = 2");
                    status.execute("SET GLOBAL rpl_semi_sync_source_timeout = 120000");
                    writers = Writers.start(4, () -> shop(pair.connect()));
                    writers.awaitRows(100);
                    await().atMost(Duration.ofSeconds(30))
                            .untilAsserted(
                                    () -> assertThat(one.witnessView("waitFor")).isEqualTo("2"));
                }
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> SemiSyncPair.status(status, "Rpl_semi_sync_source_wait_sessions") > 0);
                // One is not enough. That has nothing to acknowledge, and is not dead for that.
                await().during(Duration.ofSeconds(3))
                        .atMost(Duration.ofSeconds(30))
                        .until(() -> one.witness().equals("present") && one.withdrawn("connection") == 0);
                try (BlackBoxProxy two = BlackBoxProxy.start(pair.address(), pair.replica(), section)) {
                    two.awaitWitness();
                    writers.awaitMore(100);
                    assertThat(SemiSyncPair.status(status, "Rpl_semi_sync_source_no_tx"))
                            .as("answered without both")
                            .isZero();
                    pair.killSource();
                    Set<String> missing = writers.join();
                    try (Connection replica = pair.connectReplica()) {
                        missing.removeAll(rows(replica));
                    }
                    assertThat(missing).isNotEmpty();
                    for (BlackBoxProxy each : new BlackBoxProxy[] {one, two}) {
                        await().atMost(Duration.ofSeconds(30))
                                .until(() ->
                                        each.lostNow().text("primary", "read").equals("false"));
                        LostView lost = each.lostNow();
                        // Clients did not use the proxies; what waited at the end is in them, too.
                        assertThat(lost.number("missingNotKnownAnswered", "count"))
                                .isBetween((long) missing.size(), missing.size() + 4L);
                        assertThat(lost.number("unknown", "transactions")).isZero();
                        assertThat(lost.all().get("notKnown")).hasToString("[]");
                    }
                }
            }
        }
    }

    /** With AFTER_SYNC what waits is in the binary log, and not in {@code gtid_executed}: nothing has begun anew. */
    @Test
    void comesBackWhileCommitsWait() throws Exception {
        try (MySqlSemiSyncPair pair = new MySqlSemiSyncPair()) {
            try (Connection source = pair.connect();
                    Statement statement = source.createStatement()) {
                statement.execute("GRANT REPLICATION CLIENT ON *.* TO monitor");
                statement.execute(
                        "CREATE TABLE shop.t (w INT, n INT, filler VARCHAR(60), PRIMARY KEY (w, n)) ENGINE=InnoDB");
            }
            try (CapturedLog log = new CapturedLog();
                    DelayedLink network = DelayedLink.to(pair.address(), Duration.ZERO);
                    BlackBoxProxy proxy = BlackBoxProxy.start(
                            network.address(), pair.replica(), "memory: 64MiB, poll: 100ms, acknowledge: memory");
                    Connection source = pair.connect();
                    Statement status = source.createStatement()) {
                proxy.awaitWitness();
                pair.link().refuse();
                pair.link().cut();
                Writers writers = Writers.start(4, () -> shop(pair.connect()));
                writers.awaitRows(50);
                for (int round = 0; round < 5; round++) {
                    network.cut();
                    await().atMost(Duration.ofSeconds(30))
                            .until(() -> SemiSyncPair.status(status, "Rpl_semi_sync_source_wait_sessions") > 0);
                    writers.awaitMore(20); // it has come back
                }
                writers.stop();
                Set<String> answered = writers.join();
                assertThat(log.text()).doesNotContain("begin anew");
                try (Connection replica = pair.connectReplica()) {
                    Set<String> missing = new HashSet<>(answered);
                    missing.removeAll(rows(replica));
                    assertThat(proxy.lostNow().number("missingNotKnownAnswered", "count"))
                            .isEqualTo(missing.size());
                }
                assertThat(proxy.lostNow().number("unknown", "transactions")).isZero();
            }
        }
    }

    private static Connection shop(Connection connection) throws SQLException {
        connection.setCatalog("shop");
        return connection;
    }
}
