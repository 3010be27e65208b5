package io.understudy.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.config.Address;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class LoginFailureTest {
    /** As the driver says it of MySQL 9.7, which answers a user that it does not have with that plugin. */
    @Test
    void aPluginThatTheDriverLacksMayBeAnAccountThatIsMissing() {
        SQLException said = new SQLException(
                "Client does not support authentication protocol requested by server. plugin type was ="
                        + " 'sha256_password'",
                "08004",
                1251);
        assertThat(LoginFailure.of(
                        said, Address.parse("p:1"), "m", "primary.monitor", "primary.address", product -> "CREATE m"))
                .contains("as m: ERROR 1251: ", "the account may not exist", "create the account: CREATE m");
    }

    @Test
    void anAccountThatAStandbyRefusesIsMendedOnThePrimary() {
        SQLException locked = new SQLException("this account is locked", "HY000", 4151);
        String there =
                LoginFailure.of(locked, Address.parse("s:1"), "m", "standbys[0]", "standbys[0].address", product -> "");
        assertThat(there).contains("ERROR 4151", "; on the primary, ", "sql_log_bin = 0", "ALTER USER 'm'@'%'");
        String candidate =
                LoginFailure.of(locked, Address.parse("s:1"), "m", "primary", "primary.candidates", product -> "");
        assertThat(candidate).contains("; on the primary, ");
        String primary =
                LoginFailure.of(locked, Address.parse("p:1"), "m", "primary", LoginFailure.OF_PRIMARY, product -> "");
        assertThat(primary).contains("; ALTER USER 'm'@'%' ACCOUNT UNLOCK");
    }
}
