package io.understudy.switchover;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.sql.AccountGrants;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Missing privileges of an account for a switchover, by SHOW GRANTS. */
class PrivilegesTest {
    /** MariaDB 10.11.19 refuses SET GLOBAL read_only with SUPER: error 1227. */
    @ParameterizedTest
    @CsvSource({
        "10.6.18-MariaDB-log, ''",
        "10.10.7-MariaDB, ''",
        "10.11.19-MariaDB-0+deb12u1, READ_ONLY ADMIN",
        "11.4.5-MariaDB, 'READ_ONLY ADMIN,REPLICATION SLAVE ADMIN,SLAVE MONITOR'"
    })
    void superIsNotEnoughOnEveryVersion(String version, String missing) {
        AccountGrants granted = new AccountGrants(List.of("GRANT RELOAD, EVENT, SUPER ON *.* TO `s`@`localhost`"));
        assertThat(String.join(",", Privileges.onMariaDb(granted, version))).isEqualTo(missing);
    }

    @ParameterizedTest
    @CsvSource({
        "true, 10.11.19-MariaDB, SUPER, ''",
        "true, 11.4.5-MariaDB, SUPER, BINLOG REPLAY",
        "true, 11.4.5-MariaDB, BINLOG REPLAY, ''",
        "false, 9.7.0, SUPER, 'INSERT,UPDATE,DELETE'",
        "false, 9.7.0, 'CONNECTION_ADMIN, INSERT, UPDATE, DELETE', REPLICATION_APPLIER",
        "false, 9.7.0, 'SUPER, INSERT, DELETE', UPDATE"
    })
    void aReplayNeedsMore(boolean mariaDb, String version, String has, String missing) {
        AccountGrants granted = new AccountGrants(List.of("GRANT " + has + " ON *.* TO `s`@`localhost`"));
        assertThat(String.join(",", Privileges.forReplay(granted, mariaDb, version)))
                .isEqualTo(missing);
    }

    @Test
    void aPrivilegeOnOneSchemaDoesNotCount() {
        AccountGrants granted = new AccountGrants(List.of("GRANT RELOAD, SUPER ON `shop`.* TO `s`@`localhost`"));
        assertThat(granted.hasAny("SUPER")).isFalse();
        AccountGrants rows = new AccountGrants(
                List.of("GRANT SUPER ON *.* TO `s`@`%`", "GRANT INSERT, UPDATE, DELETE ON `shop`.* TO `s`@`%`"));
        assertThat(Privileges.forReplay(rows, false, "9.7.0"))
                .as("rows are of schemas")
                .isEmpty();
    }
}
