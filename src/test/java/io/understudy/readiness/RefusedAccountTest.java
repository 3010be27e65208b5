package io.understudy.readiness;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Servers that are alive and refuse the monitor's account: nothing is known of what the standby lacks. */
@Tag("long")
class RefusedAccountTest extends ReadinessPair {
    @Test
    void aLockedAccountAtThePrimaryIsNoVerdict() throws Exception {
        pair.primary().execute("SET sql_log_bin = 0", "ALTER USER monitor ACCOUNT LOCK");
        try {
            ReadinessReport report = report();
            assertThat(report.verdict()).isEqualTo(ReadinessReport.Verdict.UNKNOWN);
            assertThat(what(report).toString()).contains("refuses the login", "locked");
            assertNobodyElseIsGrantedMore(report);
        } finally {
            pair.primary().execute("ALTER USER monitor ACCOUNT UNLOCK");
        }
    }

    /** As after a change of the password in one place: the mirror's account, which both servers let in, knows less. */
    @Test
    void aLockedAccountOnBothServersIsNoVerdict() throws Exception {
        pair.primary().execute("ALTER USER monitor ACCOUNT LOCK");
        try {
            pair.awaitCaughtUp(PATIENCE);
            ReadinessReport report = report();
            assertThat(report.verdict()).isEqualTo(ReadinessReport.Verdict.UNKNOWN);
            assertThat(subjects(report)).contains("unknown reachable standby", "unknown primary primary");
            assertThat(what(report).toString()).contains("'monitor'");
            assertNobodyElseIsGrantedMore(report);
        } finally {
            pair.primary().execute("ALTER USER monitor ACCOUNT UNLOCK");
            pair.awaitCaughtUp(PATIENCE);
        }
    }

    /** To unlock the account does not mend it. */
    @Test
    void anExpiredPasswordIsMendedByItsOwnStatement() throws Exception {
        pair.primary().execute("ALTER USER monitor PASSWORD EXPIRE");
        try {
            pair.awaitCaughtUp(PATIENCE);
            assertThat(report().findings())
                    .extracting(Finding::statement)
                    .anyMatch(statement -> statement.contains("PASSWORD EXPIRE NEVER"))
                    .noneMatch(statement -> statement.contains("UNLOCK"));
        } finally {
            pair.primary()
                    .execute("ALTER USER monitor IDENTIFIED BY 'secret'", "ALTER USER monitor PASSWORD EXPIRE NEVER");
            pair.awaitCaughtUp(PATIENCE);
        }
    }

    private static void assertNobodyElseIsGrantedMore(ReadinessReport report) {
        assertThat(report.findings())
                .extracting(Finding::statement)
                .noneMatch(statement -> statement.contains("poor"))
                .anyMatch(statement ->
                        statement.startsWith("on the primary") && statement.contains("'monitor'@'%' ACCOUNT UNLOCK"));
    }
}
