package io.understudy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.AccountUse;
import io.understudy.testkit.CapturedLog;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AccountHealthTest {
    private static final String DENIED = "Access denied for user 'm'@'localhost' (using password: YES)";

    private final AtomicLong nanos = new AtomicLong();
    private final AccountHealth health =
            new AccountHealth("primary.monitor", () -> "m", () -> "primary p:1", nanos::get);
    private final AccountUse log = health.use("the binary log");
    private final AccountUse probe = health.use("health");

    /** The statements are those that were seen to mend it on MariaDB 10.11, 11.4 and MySQL 9.7. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    3118 | Access denied for user 'm'. Account is locked. | ALTER USER 'm'@'%' ACCOUNT UNLOCK
                    4151 | Access denied, this account is locked | ALTER USER 'm'@'%' ACCOUNT UNLOCK
                    1226 | exceeded the 'max_user_connections' resource | WITH MAX_USER_CONNECTIONS 0
                    1226 | exceeded the 'max_connections_per_hour' resource | WITH MAX_CONNECTIONS_PER_HOUR 0
                    1203 | more than 'max_user_connections' active connections | SET GLOBAL max_user_connections = 0
                    1227 | you need the REPLICATION SLAVE privilege(s) | GRANT REPLICATION SLAVE ON *.*
                    1862 | Your password has expired | PASSWORD EXPIRE NEVER
                    1251 | Client does not support … plugin type was = 'sha256_password' | WITH caching_sha2_password
                    1524 | Plugin 'x' is not loaded | BY '…' (MySQL, if it has another plugin: IDENTIFIED WITH
                    1698 | Access denied for user 'm' | BY '…' (MySQL, if it has another plugin: IDENTIFIED WITH
                    1045 | Access denied for user 'm' | if it has REQUIRE SSL or X509: tls: { mode: required }
                    3159 | Connections using insecure transport are prohibited | tls: { mode: required }
                    """)
    void theRemedyIsThatOfTheError(int code, String error, String remedy) {
        log.refused(code, error);
        nanos.addAndGet(AccountHealth.GRACE.toNanos());
        AccountHealth.Problem problem = Objects.requireNonNull(health.problem());
        assertThat(problem.error()).isEqualTo(error);
        assertThat(problem.remedy()).contains(remedy);
        assertThat(problem.affected()).containsExactly("the binary log");
    }

    /** A change that the standby itself logs stops MariaDB's replication, and MySQL's super_read_only refuses it. */
    @Test
    void theAccountOfAStandbyIsMendedOnThePrimary() {
        AccountHealth standby = new AccountHealth("standbys", () -> "m", () -> "standby db1", nanos::get);
        for (int code : new int[] {1045, 1820, 1862, 3118, 4151, 1226, 1203, 1227, 1524, 1251}) {
            standby.use("mirrored reads").refused(code, "no");
            nanos.addAndGet(AccountHealth.GRACE.toNanos());
            assertThat(Objects.requireNonNull(standby.problem()).remedy())
                    .containsPattern("on the primary, .*behind SET SESSION sql_log_bin = 0.*super_read_only = 0.*"
                            + "(ALTER USER|CREATE USER|GRANT .*TO) 'm'@'%'");
            standby.forget();
        }
        standby.use("mirrored reads").refused(1040, "Too many connections");
        assertThat(standby.sentence()).doesNotContain("on the primary").contains("; remedy: there SET GLOBAL");
        standby.forget();
        // One of the candidates that is not the primary.
        health.refused("following", "candidate c:1", new SQLException("locked", "HY000", 4151));
        assertThat(health.sentence()).contains("candidate c:1 refuses", "remedy: on the primary, ", "sql_log_bin");
        health.use("following").works();
        log.refused(4151, "locked");
        assertThat(health.sentence()).contains("remedy: ALTER USER").doesNotContain("sql_log_bin");
    }

    /** MariaDB's login succeeds, and each statement is refused. */
    @Test
    void anExpiredPasswordIsFoundAlthoughTheLoginSucceeds() {
        Statement refusing = of(Statement.class, name -> {
            if (name.equals("execute")) {
                throw new SQLException("You must SET PASSWORD before executing this statement", "HY000", 1820);
            }
            return null;
        });
        Connection connection = of(Connection.class, name -> name.equals("createStatement") ? refusing : null);
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1);
        try (LoginCheck check =
                new LoginCheck(of(DataSource.class, name -> connection), health, executor, LoginCheck.INTERVAL)) {
            check.poll();
            assertThat(Objects.requireNonNull(health.problem()).code()).isEqualTo(1820);
            health.forget(); // as when the account is replaced
            assertThat(health.problem()).isNull();
        } finally {
            executor.shutdownNow();
        }
    }

    private interface Calls {
        @Nullable
        Object named(String name) throws SQLException;
    }

    private static <T> T of(Class<T> type, Calls calls) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> calls.named(method.getName())));
    }

    @Test
    void aRefusedPasswordIsReadAgainBeforeItIsReported() {
        AtomicInteger read = new AtomicInteger();
        health.whenPasswordRefused(read::incrementAndGet);
        try (CapturedLog lines = new CapturedLog()) {
            probe.refused(1045, DENIED);
            log.refused(1045, DENIED);
            assertThat(read).hasValue(1);
            assertThat(health.problem()).isNull();
            probe.works();
            log.works();
            nanos.addAndGet(AccountHealth.GRACE.toNanos());
            assertThat(health.problem()).isNull();
            assertThat(lines.text()).isEmpty();
        }
    }

    @Test
    void onePasswordIsOneProblemWithAllThatItBreaks() {
        try (CapturedLog lines = new CapturedLog()) {
            for (int second = 0; second < 8; second++) {
                probe.refused(1045, DENIED);
                log.refused(1045, DENIED);
                nanos.addAndGet(1_000_000_000L);
            }
            assertThat(Objects.requireNonNull(health.problem()).affected()).containsExactly("health", "the binary log");
            assertThat(lines.text()).containsOnlyOnce("refuses the account of primary.monitor");
            AtomicInteger told = new AtomicInteger();
            health.onRecovered(told::incrementAndGet);
            health.loggedIn();
            assertThat(told).hasValue(1);
            assertThat(health.problem()).isNull();
            assertThat(lines.text()).containsOnlyOnce("accepts the account of primary.monitor again");
        }
    }

    @Test
    void aNewLoginDoesNotMendAMissingPrivilegeOrALimit() {
        log.refused(1227, "Access denied; you need (at least one of) the REPLICATION SLAVE privilege(s)");
        probe.refused(1226, "User 'm' has exceeded the 'max_user_connections' resource (current value: 1)");
        health.loggedIn();
        assertThat(Objects.requireNonNull(health.problem()).affected()).hasSize(2);
        assertThat(Objects.requireNonNull(health.problem()).code())
                .as("the heavier")
                .isEqualTo(1226);
    }

    @Test
    void whatNobodyHasTriedForLongIsNoProblem() {
        log.refused(1226, "User 'm' has exceeded the 'max_user_connections' resource (current value: 1)");
        nanos.addAndGet(AccountHealth.STALE.toNanos() + 1);
        assertThat(health.problem()).isNull();
    }

    @Test
    void otherErrorsOfTheServerAreNotTheAccounts() {
        log.refused(1236, "Could not find first log file name in binary log index file");
        assertThat(health.problem()).isNull();
        assertThat(AccountHealth.code(new SQLException("pool", new SQLException("locked", "HY000", 3118))))
                .isEqualTo(3118);
    }
}
