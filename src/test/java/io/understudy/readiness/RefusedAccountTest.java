package io.understudy.readiness;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A primary that is alive and refuses the accounts: nothing is known of what the standby lacks. */
class RefusedAccountTest extends ReadinessPair {
    @Test
    void aLockedAccountAtThePrimaryIsNoVerdict() throws Exception {
        pair.primary()
                .execute("SET sql_log_bin = 0", "ALTER USER monitor ACCOUNT LOCK", "ALTER USER poor ACCOUNT LOCK");
        try {
            ReadinessReport report = report();
            assertThat(report.verdict()).isEqualTo(ReadinessReport.Verdict.UNKNOWN);
            assertThat(what(report).toString()).contains("refuses the login", "locked");
        } finally {
            pair.primary().execute("ALTER USER monitor ACCOUNT UNLOCK", "ALTER USER poor ACCOUNT UNLOCK");
        }
    }
}
