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
}
