package io.understudy.readiness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import io.understudy.runtime.PluginTypes;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The gate on a real pair: silent while all is well, and naming each fault that is injected. */
@Timeout(240)
class ReadinessGateTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Limits LIMITS =
            new Limits(Duration.ofSeconds(60), Duration.ofSeconds(2), Duration.ofSeconds(1));
    private static final String UNLOGGED = "SET SESSION sql_log_bin = 0";

    private static EmbeddedPair pair;

    @BeforeAll
    static void start() {
        pair = EmbeddedPair.start(PairOptions.defaults());
        pair.primary()
                .execute(
                        "CREATE DATABASE shop",
                        "CREATE TABLE shop.t (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(50))",
                        "CREATE TABLE shop.`odd$name` (id INT) PARTITION BY HASH (id) PARTITIONS 2",
                        "INSERT INTO shop.t (name) VALUES ('a'), ('b')");
        pair.createAccount(
                "monitor", "secret", "REPLICATION SLAVE, SLAVE MONITOR, PROCESS ON *.*", "SELECT ON mysql.*");
        pair.createAccount("reader", "secret", "SELECT, SLAVE MONITOR, PROCESS ON *.*");
        pair.createAccount("poor", "secret");
        pair.createAccount("app", "secret", "SELECT, INSERT ON shop.*");
        pair.primary().execute("CREATE ROLE clerk", "GRANT SELECT ON shop.t TO clerk", "GRANT clerk TO app@'%'");
        pair.awaitCaughtUp(PATIENCE);
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    /** The next commit ends the primary's fallback to asynchronous replication. */
    @AfterEach
    void isWellAgain() {
        await().atMost(PATIENCE).untilAsserted(() -> {
            pair.primary().execute("INSERT INTO shop.t (name) VALUES ('well')");
            assertThat(what(report())).isEmpty();
        });
    }

    private static LoadedConfig config(String user, String primary, int standby) throws Exception {
        return ConfigLoader.load(
                """
                listen: { address: "127.0.0.1:0" }
                primary:
                  address: "%s"
                  tls: { mode: disabled }
                  monitor: { user: %s, password: secret }
                standbys:
                  - { name: standby-1, address: "127.0.0.1:%d", tls: { mode: disabled }, user: poor, password: secret }
                admin: { enabled: false }
                """.formatted(primary, user, standby),
                "test.yaml",
                PluginTypes.installed().records(),
                name -> null);
    }

    private static ReadinessGate gate(LoadedConfig config, Duration time) {
        return ReadinessGate.of(config, "standby-1", config.config().primary().address(), LIMITS, time);
    }

    private static ReadinessReport report(String user) throws Exception {
        return report(user, Duration.ofSeconds(20));
    }

    private static ReadinessReport report(String user, Duration time) throws Exception {
        LoadedConfig config = config(
                user, "127.0.0.1:" + pair.primary().port(), pair.standby().port());
        return gate(config, time).report(null);
    }

    private static ReadinessReport report() throws Exception {
        return report("monitor");
    }

    private static double number(ReadinessReport report, String key) {
        return (double) Objects.requireNonNull(report.view().get(key), key);
    }

    private static List<String> what(ReadinessReport report) {
        return report.findings().stream()
                .map(finding -> finding.severity().word() + " " + finding.check() + " " + finding.subject() + ": "
                        + finding.what())
                .toList();
    }

    private static List<String> subjects(ReadinessReport report) {
        return report.findings().stream()
                .map(finding -> (finding.severity().word() + " " + finding.check() + " " + finding.subject()).trim())
                .toList();
    }

    /** A thread that commits on the primary until it is closed. */
    private static final class Load implements AutoCloseable {
        private final AtomicBoolean stop = new AtomicBoolean();
        private final Thread thread = new Thread(this::run, "load");
        private volatile int commits;

        Load() {
            thread.start();
            await().until(() -> commits > 0);
        }

        private void run() {
            try (Connection connection = pair.primary().connect();
                    Statement statement = connection.createStatement()) {
                for (int i = 0; !stop.get(); i++) {
                    statement.execute("INSERT INTO shop.t (name) VALUES ('load')");
                    if (i % 50 == 0) {
                        statement.execute("CREATE TABLE shop.passing" + i + " (id INT)");
                        statement.execute("CREATE USER passing" + i);
                        statement.execute("DROP USER passing" + i);
                        statement.execute("DROP TABLE shop.passing" + i);
                    }
                    commits = i;
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() throws InterruptedException {
            stop.set(true);
            thread.join();
        }
    }

    @Test
    void findsNothingOnAHealthyPairUnderLoad() throws Exception {
        try (Load load = new Load()) {
            for (int i = 0; i < Integer.getInteger("understudy.it.readiness.calls", 12); i++) {
                ReadinessReport report = report(i % 2 == 0 ? "monitor" : "reader");
                assertThat(what(report)).as("call %d", i).isEmpty();
                assertThat(report.verdict()).isEqualTo(ReadinessReport.Verdict.YES);
                assertThat(report.view()).containsEntry("exitCode", 0).containsKey("lagSeconds");
            }
            assertThat(load.commits).isGreaterThan(30);
        }
    }

    /**
     * A fault on a healthy pair.
     *
     * @param expected severity, check and subject of all findings, in their order
     */
    private record Fault(String name, String[] expected, String[] primary, String[] standby, String[] mend) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Fault onStandby(String name, String expected, String sql, String mend) {
        return new Fault(name, expected.split(";"), new String[0], sql.split(";"), mend.split(";"));
    }

    private static Fault set(String variable, String value) {
        String before = pair.standby().query("SELECT @@GLOBAL." + variable);
        return onStandby(
                variable,
                "warns settings " + variable,
                "SET GLOBAL " + variable + " = " + value,
                "SET GLOBAL " + variable + " = '" + before + "'");
    }

    private static Fault number(String variable, String value) {
        String before = pair.standby().query("SELECT @@GLOBAL." + variable);
        return onStandby(
                variable,
                "warns settings " + variable,
                "SET GLOBAL " + variable + " = " + value,
                "SET GLOBAL " + variable + " = " + before);
    }

    static Stream<Fault> faults() {
        return Stream.of(
                onStandby(
                        "writable",
                        "blocks read-only read_only",
                        "SET GLOBAL read_only = 0",
                        "SET GLOBAL read_only = 1"),
                onStandby("applier stopped", "blocks replicates applier", "STOP SLAVE SQL_THREAD", "START SLAVE"),
                onStandby(
                        "receiver stopped",
                        "blocks replicates receiver;warns semi-sync primary;warns semi-sync standby",
                        "STOP SLAVE IO_THREAD;DO 1",
                        "START SLAVE"),
                onStandby(
                        "filter",
                        "warns replicates filters",
                        "STOP SLAVE;SET GLOBAL replicate_ignore_db = 'private';START SLAVE",
                        "STOP SLAVE;SET GLOBAL replicate_ignore_db = '';START SLAVE"),
                onStandby(
                        "delay",
                        "warns replicates delay",
                        "STOP SLAVE;CHANGE MASTER TO MASTER_DELAY = 60;START SLAVE",
                        "STOP SLAVE;CHANGE MASTER TO MASTER_DELAY = 0;START SLAVE"),
                onStandby(
                        "errant transaction",
                        "warns errant 9-2-2",
                        "SET SESSION gtid_domain_id = 9;CREATE TABLE shop.errant (id INT);DROP TABLE shop.errant",
                        "STOP SLAVE;RESET MASTER;START SLAVE"),
                onStandby(
                        "not semi-synchronous",
                        "warns semi-sync primary;warns semi-sync standby",
                        "SET GLOBAL rpl_semi_sync_slave_enabled = 0;STOP SLAVE IO_THREAD;START SLAVE IO_THREAD",
                        "SET GLOBAL rpl_semi_sync_slave_enabled = 1;STOP SLAVE IO_THREAD;START SLAVE IO_THREAD"),
                set("sql_mode", "'ANSI_QUOTES'"),
                set("character_set_server", "'utf8mb4'"),
                set("collation_server", "'latin1_german1_ci'"),
                set("time_zone", "'+03:00'"),
                set("transaction_isolation", "'READ-COMMITTED'"),
                number("max_connections", "20"),
                number("max_allowed_packet", "1048576"),
                new Fault(
                        "sync_binlog",
                        new String[] {"warns settings sync_binlog"},
                        new String[] {"SET GLOBAL sync_binlog = 1"},
                        new String[0],
                        new String[0]),
                number("innodb_flush_log_at_trx_commit", "0"),
                onStandby(
                        "account renamed",
                        "warns accounts 'app'@'%';warns accounts 'poor'@'127.1.1.1'",
                        UNLOGGED + ";RENAME USER app@'%' TO poor@'127.1.1.1'",
                        UNLOGGED + ";RENAME USER poor@'127.1.1.1' TO app@'%'"),
                onStandby(
                        "grants differ",
                        "warns accounts 'app'@'%'",
                        UNLOGGED + ";GRANT DELETE ON shop.* TO app@'%'",
                        UNLOGGED + ";REVOKE DELETE ON shop.* FROM app@'%'"),
                onStandby(
                        "password differs",
                        "warns accounts 'app'@'%'",
                        UNLOGGED + ";SET PASSWORD FOR app@'%' = PASSWORD('other')",
                        UNLOGGED + ";SET PASSWORD FOR app@'%' = PASSWORD('secret')"),
                onStandby(
                        "role's grants differ",
                        "warns accounts 'clerk'",
                        UNLOGGED + ";GRANT INSERT ON shop.t TO clerk",
                        UNLOGGED + ";REVOKE INSERT ON shop.t FROM clerk"),
                onStandby(
                        "account more",
                        "warns accounts 'intruder'@'%'",
                        UNLOGGED + ";CREATE USER intruder",
                        UNLOGGED + ";DROP USER intruder"),
                onStandby(
                        "table missing",
                        "warns tables missing shop.odd$name",
                        UNLOGGED + ";RENAME TABLE shop.`odd$name` TO mysql.hidden",
                        UNLOGGED + ";RENAME TABLE mysql.hidden TO shop.`odd$name`"),
                onStandby(
                        "table more",
                        "warns tables more shop.extra",
                        UNLOGGED + ";CREATE TABLE shop.extra (id INT)",
                        UNLOGGED + ";DROP TABLE shop.extra"),
                new Fault(
                        "primary read-only",
                        new String[] {"warns primary read_only"},
                        new String[] {"SET GLOBAL read_only = 1"},
                        new String[0],
                        new String[0]));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void namesTheFault(Fault fault) throws Exception {
        pair.standby().execute(fault.standby());
        pair.primary().execute(fault.primary());
        if (fault.name().contains("semi-sync") || fault.name().contains("receiver")) {
            pair.primary().execute("INSERT INTO shop.t (name) VALUES ('waits for the timeout')");
        }
        try {
            String[] expected = fault.expected();
            if (fault.name().equals("character_set_server")) {
                expected = new String[] {expected[0], "warns settings collation_server"};
            }
            ReadinessReport report = report();
            assertThat(subjects(report)).as("%s", what(report)).containsExactlyInAnyOrder(expected);
            assertThat(report.verdict())
                    .isEqualTo(
                            expected[0].startsWith("blocks")
                                    ? ReadinessReport.Verdict.NO
                                    : ReadinessReport.Verdict.FINDINGS);
            assertThat(report.findings()).allSatisfy(finding -> {
                assertThat(finding.why()).isNotEmpty();
                assertThat(finding.statement()).isNotEmpty();
            });
        } finally {
            pair.standby().execute(fault.mend());
            pair.primary().execute("SET GLOBAL read_only = 0", "SET GLOBAL sync_binlog = 0");
            if (fault.name().equals("character_set_server")) {
                pair.standby()
                        .execute("SET GLOBAL collation_server = '"
                                + pair.primary().query("SELECT @@GLOBAL.collation_server") + "'");
            }
        }
    }

    @Test
    void namesASmallerBufferPool() throws Exception {
        pair.primary().execute("SET GLOBAL innodb_buffer_pool_size = " + (64 << 20));
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(subjects(report())).containsExactly("warns settings innodb_buffer_pool_size"));
        pair.primary().execute("SET GLOBAL innodb_buffer_pool_size = " + (32 << 20));
    }

    @Test
    void namesAnApplierThatStoppedWithAnErrorAndWhatItHasNotApplied() throws Exception {
        pair.standby().execute(UNLOGGED, "INSERT INTO shop.t (id, name) VALUES (777777, 'conflict')");
        pair.primary().execute("INSERT INTO shop.t (id, name) VALUES (777777, 'of the primary')");
        try {
            await().atMost(PATIENCE).untilAsserted(() -> {
                ReadinessReport report = report();
                assertThat(subjects(report)).containsExactly("blocks replicates applier", "warns received");
                assertThat(report.findings().get(0).what()).contains("1062");
                assertThat(report.findings().get(1).what()).contains("1 transactions");
                assertThat(report.findings().get(1).statement()).contains("START SLAVE SQL_THREAD");
            });
        } finally {
            pair.standby().execute(UNLOGGED, "DELETE FROM shop.t WHERE id = 777777", "START SLAVE");
        }
    }

    @Test
    void namesTheLagAndTheHoldThatItPredicts() throws Exception {
        try (Connection connection = pair.standby().connect();
                Statement statement = connection.createStatement()) {
            statement.execute("LOCK TABLES shop.t READ");
            pair.primary().execute("INSERT INTO shop.t (name) VALUES ('waits')");
            await().atMost(PATIENCE).untilAsserted(() -> {
                ReadinessReport report = report();
                assertThat(subjects(report)).contains("warns lag", "warns received");
                assertThat(number(report, "predictedHoldSeconds")).isGreaterThan(2);
                assertThat(report.view()).containsEntry("transactionsBehind", 1L);
            });
            statement.execute("UNLOCK TABLES");
        }
    }

    /** A standby that lags for less than two seconds has what the primary dropped. */
    @Test
    void whatIsOnItsWayIsNoFinding() throws Exception {
        pair.primary().execute("CREATE TABLE shop.dropped (id INT)");
        pair.awaitCaughtUp(PATIENCE);
        try (Connection connection = pair.standby().connect();
                Statement statement = connection.createStatement()) {
            statement.execute("LOCK TABLES shop.dropped READ");
            pair.primary().execute("DROP TABLE shop.dropped");
            CompletableFuture<Void> released = CompletableFuture.runAsync(() -> unlockOnceTheGateWaits(statement));
            ReadinessReport report = report();
            released.join();
            assertThat(subjects(report)).doesNotContain("warns tables more shop.dropped");
        }
    }

    /** The gate has read both servers once, and waits before it reads them again. */
    private static void unlockOnceTheGateWaits(Statement statement) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> !pair.standby()
                        .query("SELECT 1 FROM information_schema.PROCESSLIST"
                                + " WHERE INFO LIKE 'SELECT MASTER_GTID_WAIT%'")
                        .isEmpty());
        try {
            statement.execute("UNLOCK TABLES");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void namesTheOldestTransaction() throws Exception {
        try (Connection connection = pair.standby().connect();
                Statement statement = connection.createStatement()) {
            statement.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT");
            await().atMost(PATIENCE).untilAsserted(() -> {
                ReadinessReport report = report();
                assertThat(report.findings()).hasSize(1);
                assertThat(report.findings().get(0).what()).contains("of root has a transaction open for");
                assertThat(report.findings().get(0).statement()).contains("KILL ");
            });
            statement.execute("ROLLBACK");
        }
    }

    /** A reader keeps the primary from ending the ALTER, whose first phase the standby has executed. */
    @Test
    void namesAnOpenTwoPhaseAlter() throws Exception {
        try (Connection reader = pair.primary().connect();
                Statement read = reader.createStatement();
                Connection writer = pair.primary().connect();
                Statement alter = writer.createStatement()) {
            read.execute("START TRANSACTION");
            read.execute("SELECT COUNT(*) FROM shop.t");
            alter.execute("SET SESSION binlog_alter_two_phase = 1");
            Thread thread = new Thread(() -> {
                try {
                    alter.execute("ALTER TABLE shop.t FORCE, ALGORITHM = COPY");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            thread.start();
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(report().findings())
                            .extracting(Finding::what)
                            .anyMatch(what -> what.startsWith("a two-phase ALTER is open")
                                    && what.endsWith("ALTER TABLE shop.t FORCE, ALGORITHM = COPY"))
                            .anyMatch(what -> what.startsWith("the primary executes a schema change")));
            read.execute("COMMIT");
            thread.join();
        }
    }

    @Test
    void respondsInTimeWithADeadPrimary() throws Exception {
        pair.primary().kill();
        try {
            ReadinessReport report = report("monitor", Duration.ofSeconds(6));
            assertThat(subjects(report)).containsExactly("unknown primary primary", "unknown replicates source");
            assertThat(report.verdict()).isEqualTo(ReadinessReport.Verdict.FINDINGS);
            assertThat(number(report, "seconds")).isLessThan(6.5);
        } finally {
            pair.primary().restart();
        }
    }

    @Test
    void respondsInTimeWithAFrozenPrimary() throws Exception {
        pair.primary().freeze();
        try {
            long begun = System.nanoTime();
            ReadinessReport report = report("monitor", Duration.ofSeconds(4));
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(6));
            assertThat(subjects(report)).contains("unknown primary primary");
            assertThat(report.verdict()).isEqualTo(ReadinessReport.Verdict.FINDINGS);
        } finally {
            pair.primary().thaw();
        }
    }

    @Test
    void saysNoForADeadStandby() throws Exception {
        pair.standby().kill();
        try {
            ReadinessReport report = report();
            assertThat(subjects(report)).containsExactly("blocks reachable standby");
            assertThat(report.view()).containsEntry("exitCode", 8);
        } finally {
            pair.standby().restart();
        }
    }

    @Test
    void saysNoForAServerThatReplicatesFromNoneOrIsThePrimary() throws Exception {
        LoadedConfig swapped = config(
                "monitor", "127.0.0.1:" + pair.standby().port(), pair.primary().port());
        assertThat(subjects(gate(swapped, Duration.ofSeconds(20)).report(null)))
                .contains("blocks replicates nothing", "blocks read-only read_only");

        LoadedConfig same = config(
                "monitor", "localhost:" + pair.standby().port(), pair.standby().port());
        assertThat(subjects(gate(same, Duration.ofSeconds(20)).report(null)))
                .containsExactly("blocks replicates itself");
    }

    @Test
    void saysWhichPrivilegesAreMissing() throws Exception {
        ReadinessReport report = report("poor");
        assertThat(report.verdict()).isEqualTo(ReadinessReport.Verdict.UNKNOWN);
        assertThat(report.findings())
                .extracting(Finding::check, Finding::statement)
                .containsExactlyInAnyOrder(
                        tuple("replicates", "on the primary: GRANT SLAVE MONITOR ON *.* TO 'poor'@'%'"),
                        tuple("transactions", "on the primary: GRANT PROCESS ON *.* TO 'poor'@'%'"),
                        tuple("tables", "on the primary: GRANT PROCESS ON *.* TO 'poor'@'%'"),
                        tuple("accounts", "on the primary: GRANT SELECT ON mysql.* TO 'poor'@'%'"));
        assertThat(what(report("reader"))).as("with a global SELECT").isEmpty();
    }

    @Test
    void saysNothingIsKnownWithoutALogin() throws Exception {
        pair.primary().execute("ALTER USER poor@'%' ACCOUNT LOCK");
        pair.awaitCaughtUp(PATIENCE);
        ReadinessReport report = report("nobody");
        pair.primary().execute("ALTER USER poor@'%' ACCOUNT UNLOCK");
        assertThat(report.view()).containsEntry("exitCode", 8);
        assertThat(subjects(report)).contains("unknown primary primary");
    }

    @Test
    void refusesAnUnknownName() throws Exception {
        LoadedConfig config = config(
                "monitor", "127.0.0.1:" + pair.primary().port(), pair.standby().port());
        assertThatThrownBy(() -> ReadinessGate.of(
                        config, "standby-2", config.config().primary().address(), LIMITS, Duration.ofSeconds(1)))
                .hasMessageContaining("known: [standby-1]");
    }
}
