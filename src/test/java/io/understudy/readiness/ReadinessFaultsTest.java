package io.understudy.readiness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The gate names each fault of a standby. */
@Tag("long")
class ReadinessFaultsTest extends ReadinessPair {
    private static final String UNLOGGED = "SET SESSION sql_log_bin = 0";

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
                "blocks settings " + variable,
                "SET GLOBAL " + variable + " = " + value,
                "SET GLOBAL " + variable + " = '" + before + "'");
    }

    private static Fault unquoted(String variable, String value) {
        String before = pair.standby().query("SELECT @@GLOBAL." + variable);
        return onStandby(
                variable,
                "blocks settings " + variable,
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
                        "blocks replicates receiver;blocks semi-sync primary;blocks semi-sync standby",
                        "STOP SLAVE IO_THREAD;DO 1",
                        "START SLAVE"),
                onStandby(
                        "filter",
                        "blocks replicates filters",
                        "STOP SLAVE;SET GLOBAL replicate_ignore_db = 'private';START SLAVE",
                        "STOP SLAVE;SET GLOBAL replicate_ignore_db = '';START SLAVE"),
                onStandby(
                        "delay",
                        "blocks replicates delay",
                        "STOP SLAVE;CHANGE MASTER TO MASTER_DELAY = 60;START SLAVE",
                        "STOP SLAVE;CHANGE MASTER TO MASTER_DELAY = 0;START SLAVE"),
                onStandby(
                        "errant transaction",
                        "blocks errant 9-2-2",
                        "SET SESSION gtid_domain_id = 9;CREATE TABLE shop.errant (id INT);DROP TABLE shop.errant",
                        // Off first: at its end it would signal, under its lock, the applier's thread that is gone.
                        "SET GLOBAL rpl_semi_sync_master_enabled = 0;STOP SLAVE;RESET MASTER;"
                                + "SET GLOBAL rpl_semi_sync_master_enabled = 1;START SLAVE"),
                onStandby(
                        "not semi-synchronous",
                        "blocks semi-sync primary;blocks semi-sync standby",
                        "SET GLOBAL rpl_semi_sync_slave_enabled = 0;STOP SLAVE IO_THREAD;START SLAVE IO_THREAD",
                        "SET GLOBAL rpl_semi_sync_slave_enabled = 1;STOP SLAVE IO_THREAD;START SLAVE IO_THREAD"),
                onStandby(
                        "asynchronous as the primary",
                        "blocks semi-sync source",
                        "SET GLOBAL rpl_semi_sync_master_enabled = 0",
                        "SET GLOBAL rpl_semi_sync_master_enabled = 1"),
                set("sql_mode", "'ANSI_QUOTES'"),
                set("character_set_server", "'utf8mb4'"),
                set("collation_server", "'latin1_german1_ci'"),
                set("time_zone", "'+03:00'"),
                set("transaction_isolation", "'READ-COMMITTED'"),
                unquoted("max_connections", "20"),
                unquoted("max_allowed_packet", "1048576"),
                new Fault(
                        "sync_binlog",
                        new String[] {"warns settings sync_binlog"},
                        new String[] {"SET GLOBAL sync_binlog = 1"},
                        new String[0],
                        new String[0]),
                new Fault(
                        "innodb_flush_log_at_trx_commit",
                        new String[] {"warns settings innodb_flush_log_at_trx_commit"},
                        new String[0],
                        new String[] {"SET GLOBAL innodb_flush_log_at_trx_commit = 0"},
                        new String[] {"SET GLOBAL innodb_flush_log_at_trx_commit = 1"}),
                onStandby(
                        "account renamed",
                        "blocks accounts 'app'@'%';warns accounts 'poor'@'127.1.1.1'",
                        UNLOGGED + ";RENAME USER app@'%' TO poor@'127.1.1.1'",
                        UNLOGGED + ";RENAME USER poor@'127.1.1.1' TO app@'%'"),
                onStandby(
                        "grants differ",
                        "warns accounts 'app'@'%'",
                        UNLOGGED + ";GRANT DELETE ON shop.* TO app@'%'",
                        UNLOGGED + ";REVOKE DELETE ON shop.* FROM app@'%'"),
                onStandby(
                        "password differs",
                        "blocks accounts 'app'@'%'",
                        UNLOGGED + ";SET PASSWORD FOR app@'%' = PASSWORD('other')",
                        UNLOGGED + ";SET PASSWORD FOR app@'%' = PASSWORD('secret')"),
                onStandby(
                        "grants missing",
                        "blocks accounts 'app'@'%'",
                        UNLOGGED + ";REVOKE SELECT ON shop.* FROM app@'%'",
                        UNLOGGED + ";GRANT SELECT ON shop.* TO app@'%'"),
                onStandby(
                        "account locked",
                        "blocks accounts 'app'@'%'",
                        UNLOGGED + ";ALTER USER app@'%' ACCOUNT LOCK",
                        UNLOGGED + ";ALTER USER app@'%' ACCOUNT UNLOCK"),
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
                        "blocks definitions missing table shop.odd$name",
                        UNLOGGED + ";RENAME TABLE shop.`odd$name` TO mysql.hidden",
                        UNLOGGED + ";RENAME TABLE mysql.hidden TO shop.`odd$name`"),
                onStandby(
                        "table more",
                        "warns definitions more table shop.extra",
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
                expected = new String[] {expected[0], "blocks settings collation_server"};
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
    void namesEventsThatOneServerAloneExecutes() throws Exception {
        pair.primary()
                .execute(
                        "CREATE EVENT shop.daily ON SCHEDULE EVERY 1 DAY STARTS '2037-01-01' DO DELETE FROM shop.t",
                        "CREATE EVENT shop.never ON SCHEDULE EVERY 1 DAY DISABLE DO DELETE FROM shop.t");
        try {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(what(report()))
                            .containsExactly("warns events disabled: the primary executes a scheduled event that the"
                                    + " standby would not: shop.daily"));
            pair.standby().execute(UNLOGGED, "ALTER EVENT shop.daily ENABLE");
            assertThat(what(report()))
                    .containsExactly("warns events enabled: the standby executes a scheduled event: shop.daily");
            pair.primary().execute("ALTER EVENT shop.daily DISABLE ON SLAVE");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(what(report()))
                            .as("as a switchover that is killed behind its fourth step leaves it")
                            .containsExactly("warns events nobody: neither server executes a scheduled event that the"
                                    + " primary keeps as a standby does: shop.daily"));
        } finally {
            pair.primary().execute("DROP EVENT shop.daily", "DROP EVENT shop.never");
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
                assertThat(subjects(report)).containsExactly("blocks replicates applier", "blocks received");
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
                assertThat(subjects(report)).contains("warns lag", "blocks received");
                assertThat(number(report, "predictedHoldSeconds")).isGreaterThan(2);
                assertThat(report.view()).containsEntry("transactionsBehind", 1L);
            });
            statement.execute("UNLOCK TABLES");
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
}
