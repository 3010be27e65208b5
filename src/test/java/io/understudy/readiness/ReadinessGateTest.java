package io.understudy.readiness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.understudy.config.LoadedConfig;
import io.understudy.host.PluginTypes;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The gate finds nothing while all is well, and says what it cannot know. */
@Tag("long")
class ReadinessGateTest extends ReadinessPair {
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
            assertThat(subjects(report)).doesNotContain("warns definitions more table shop.dropped");
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

    @Tag("quiet")
    @Test
    void respondsInTimeWithADeadPrimary() throws Exception {
        pair.primary().kill();
        try {
            ReadinessReport report = report("monitor", Duration.ofSeconds(6));
            assertThat(subjects(report)).containsExactly("unknown primary primary", "unknown replicates source");
            assertThat(report.verdict()).isEqualTo(ReadinessReport.Verdict.FINDINGS);
            assertThat(number(report, "seconds")).isLessThan(15);
        } finally {
            pair.primary().restart();
        }
    }

    @Tag("quiet")
    @Test
    void respondsInTimeWithAFrozenPrimary() throws Exception {
        pair.primary().freeze();
        try {
            long begun = System.nanoTime();
            ReadinessReport report = report("monitor", Duration.ofSeconds(4));
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(15));
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
        assertThat(subjects(gate(swapped, Duration.ofSeconds(20)).report(() -> ProxyFigures.NONE)))
                .contains("blocks replicates nothing", "blocks read-only read_only");

        LoadedConfig same = config(
                "monitor", "localhost:" + pair.standby().port(), pair.standby().port());
        assertThat(subjects(gate(same, Duration.ofSeconds(20)).report(() -> ProxyFigures.NONE)))
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
                        tuple("definitions", "on the primary: GRANT SELECT, SHOW VIEW, TRIGGER ON *.* TO 'poor'@'%'"),
                        tuple("events", "on the primary: GRANT SELECT ON mysql.* TO 'poor'@'%'"),
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
                        config,
                        PluginTypes.installed().figures(config),
                        "standby-2",
                        config.config().primary().address(),
                        LIMITS,
                        Duration.ofSeconds(1)))
                .hasMessageContaining("known: [standby-1]");
    }
}
