package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.base.JsonReader;
import io.understudy.base.JsonWriter;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What only the witness has acknowledged is not exposed; what it does not have is, until a standby has it. */
@Timeout(180)
class WitnessExposureTest {
    static final Duration PATIENCE = Duration.ofSeconds(30);
    static final String MEASURED = "  commit-latency: { poll: 100ms }";
    static final String WITNESS = "memory: 1MiB, poll: 100ms, acknowledge: memory";

    private static EmbeddedPair pair(PairOptions options) {
        EmbeddedPair pair = EmbeddedPair.start(options.withSemiSyncTimeout(Duration.ofSeconds(1)));
        pair.primary().execute("CREATE DATABASE shop", "CREATE TABLE shop.t (n INT PRIMARY KEY, filler LONGBLOB)");
        pair.createAccount("app", BlackBoxProxy.PASSWORD, "ALL ON shop.*");
        pair.createAccount("monitor", BlackBoxProxy.PASSWORD, "REPLICATION SLAVE, SLAVE MONITOR ON *.*");
        pair.awaitCaughtUp(PATIENCE);
        return pair;
    }

    private static BlackBoxProxy proxy(EmbeddedPair pair, String section) throws Exception {
        return BlackBoxProxy.start(pair.primary().address(), pair.standby().address(), section, "preferred", MEASURED);
    }

    private static Object get(Map<String, Object> from, String key) {
        return Objects.requireNonNull(from.get(key), key);
    }

    private static Map<String, Object> view(BlackBoxProxy proxy, String name) {
        try {
            return Views.map(Objects.requireNonNull(JsonReader.read(JsonWriter.write(
                    Objects.requireNonNull(Views.of(proxy.proxy().server().published(), name))))));
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    static Map<String, Object> commits(BlackBoxProxy proxy, String part) {
        return Views.map(Views.value(view(proxy, "commits"), part));
    }

    static void awaitWitness(BlackBoxProxy proxy, String state, String reason) {
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(view(proxy, "witness"))
                        .containsEntry("state", state)
                        .containsEntry("reason", reason));
    }

    static boolean exposed(BlackBoxProxy proxy) {
        return commits(proxy, "exposure").get("current") != null;
    }

    static long counted(BlackBoxProxy proxy) {
        return ((Number) Views.value(commits(proxy, "exposure"), "unacknowledged")).longValue();
    }

    private static void alone(EmbeddedPair pair) {
        pair.link().refuse();
        pair.link().cut();
        await().atMost(PATIENCE).until(() -> {
            pair.primary().execute("FLUSH BINARY LOGS"); // it notices when it writes; else at its heartbeat, 30 s later
            return pair.primary().status("Rpl_semi_sync_master_clients") == 1;
        });
    }

    static void insert(BlackBoxProxy proxy, int first, int count, int bytes) throws Exception {
        try (Connection connection = proxy.connect();
                Statement statement = connection.createStatement()) {
            for (int i = first; i < first + count; i++) {
                statement.execute("INSERT INTO t VALUES (" + i + ", REPEAT('x', " + bytes + "))");
            }
        }
    }

    static void awaitTimed(BlackBoxProxy proxy, long commits) {
        awaitRecorded(proxy, "understudy_commit_seconds", commits);
    }

    private static void awaitRecorded(BlackBoxProxy proxy, String histogram, long commits) {
        await().atMost(PATIENCE)
                .until(() -> proxy.proxy().server().histograms().all().stream()
                                .filter(series -> series.name().equals(histogram))
                                .mapToLong(series -> series.histogram().count())
                                .sum()
                        >= commits);
    }

    /** Waits until commits are attributed by the only connection over which the proxy reads the log. */
    private static void awaitOneReader(EmbeddedPair pair, BlackBoxProxy proxy) throws Exception {
        try (Connection connection = pair.primary().connect()) {
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(commits(proxy, "attribution")).containsEntry("active", "binlog");
                try (Statement statement = connection.createStatement();
                        ResultSet rows = statement.executeQuery(
                                "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'monitor'"
                                        + " AND COMMAND LIKE 'Binlog Dump%'")) {
                    rows.next();
                    assertThat(rows.getLong(1)).isEqualTo(1);
                }
            });
        }
    }

    @Test
    void exposureBeginsWhenTheWitnessWithdraws() throws Exception {
        try (EmbeddedPair pair = pair(PairOptions.defaults());
                BlackBoxProxy proxy = proxy(pair, WITNESS)) {
            awaitWitness(proxy, "present", "");
            alone(pair);
            awaitOneReader(pair, proxy);
            insert(proxy, 0, 50, 10);
            awaitTimed(proxy, 50);
            awaitRecorded(proxy, "understudy_commit_semisync_wait_seconds", 50);
            assertThat(counted(proxy)).as("only the witness has them").isZero();
            assertThat(exposed(proxy)).isFalse();

            insert(proxy, 1_000, 12, 100_000);
            awaitWitness(proxy, "withdrawn", "memory");
            await().atMost(PATIENCE).until(() -> exposed(proxy));
            awaitOneReader(pair, proxy);
            assertThat(view(proxy, "witness")).containsEntry("semiSync", true).containsEntry("mode", "memory");

            pair.link().resume();
            awaitWitness(proxy, "present", "");
            await().atMost(PATIENCE).until(() -> !exposed(proxy));
            assertThat((List<?>) commits(proxy, "exposure").get("past")).hasSize(1);
        }
    }

    /** The witness comes back behind a transaction that it does not keep, and that no standby has. */
    @Tag("long")
    @Test
    void whatTheWitnessPassesOverStaysExposedUntilAStandbyHasIt() throws Exception {
        try (EmbeddedPair pair = pair(PairOptions.defaults());
                BlackBoxProxy proxy = proxy(pair, WITNESS)) {
            awaitWitness(proxy, "present", "");
            alone(pair);
            insert(proxy, 0, 1, 700_000);
            awaitWitness(proxy, "present", "");
            insert(proxy, 1, 20, 10);
            await().atMost(PATIENCE)
                    .until(() -> "on".equals(commits(proxy, "semisync").get("state")));
            awaitTimed(proxy, 21);
            long before = counted(proxy);
            assertThat(before).isPositive();
            insert(proxy, 100, 20, 10);
            awaitTimed(proxy, 41);
            assertThat(counted(proxy)).as("what it acknowledges is not exposed").isEqualTo(before);
            assertThat(exposed(proxy)).as("the large one is").isTrue();

            pair.link().resume();
            await().atMost(PATIENCE).until(() -> !exposed(proxy));
        }
    }

    @Tag("long")
    @Test
    void switchedOffAtThePrimaryItProtectsNothing() throws Exception {
        try (EmbeddedPair pair = pair(PairOptions.defaults());
                BlackBoxProxy proxy = proxy(pair, WITNESS)) {
            awaitWitness(proxy, "present", "");
            pair.primary().execute("SET GLOBAL rpl_semi_sync_master_enabled=0");
            awaitWitness(proxy, "withdrawn", "no_semi_sync");
            pair.primary().execute("SET GLOBAL rpl_semi_sync_master_enabled=1");
            awaitWitness(proxy, "present", "");
        }
    }

    @Tag("long")
    @Test
    void whatItWouldDoIsForetoldAndComesTrue() throws Exception {
        try (EmbeddedPair pair = pair(PairOptions.defaults().withRtt(Duration.ofMillis(40)))) {
            double without;
            try (BlackBoxProxy proxy = proxy(pair, "memory: 64MiB, poll: 100ms")) {
                await().atMost(PATIENCE)
                        .until(() -> String.valueOf(
                                        commits(proxy, "attribution").get("active"))
                                .equals("binlog"));
                insert(proxy, 0, 40, 10);
                await().atMost(PATIENCE)
                        .until(() -> commits(proxy, "prediction").get("witness") != null);
                Map<String, Object> prediction = commits(proxy, "prediction");
                Map<String, Object> with = Views.map(get(prediction, "witness"));
                without = ((Number) get(prediction, "commitMillis")).doubleValue();
                System.out.println("foretold " + with + " of " + prediction);
                assertThat(((Number) get(with, "memoryMillis")).doubleValue())
                        .isPositive()
                        .isLessThan(without);
                assertThat(with).containsEntry("present", false).containsEntry("diskMillis", null);
            }
            try (BlackBoxProxy proxy = proxy(pair, "memory: 64MiB, poll: 100ms, acknowledge: memory")) {
                awaitWitness(proxy, "present", "");
                insert(proxy, 1_000, 200, 10);
                await().atMost(PATIENCE)
                        .until(() -> commits(proxy, "prediction").get("witness") != null);
                Map<String, Object> prediction = commits(proxy, "prediction");
                System.out.println("measured " + prediction);
                assertThat(((Number) get(prediction, "commitMillis")).doubleValue())
                        .as("the standby 40 ms away is no longer waited for")
                        .isLessThan(without);
                assertThat(Views.map(get(prediction, "witness"))).containsEntry("present", true);
            }
        }
    }
}
