package io.understudy.config;

import io.understudy.base.RemovedKey;
import io.understudy.base.Secret;
import io.understudy.config.bind.Checks;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * A replica of the primary that is kept warm.
 *
 * @param name its name in metrics, log and admin endpoint
 * @param address its address
 * @param connectTimeout maximum time until the TCP connection is established
 * @param user the account that executes mirrored statements; read-only
 * @param password its password; empty for none
 */
@RemovedKey(name = "compression", why = "no connection to a standby is compressed; leave it out")
public record StandbyConfig(
        String name, Address address, ServerTlsConfig tls, Duration connectTimeout, String user, Secret password) {

    /** Valid as a metric label and as a path of the admin endpoint. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

    @SuppressWarnings("NullAway") // absent keys are null
    public StandbyConfig {
        tls = tls == null ? ServerTlsConfig.preferred() : tls;
        connectTimeout = connectTimeout == null ? Duration.ofSeconds(5) : connectTimeout;
        password = password == null ? Secret.parse("") : password;
        Checks checks = new Checks()
                .required(name, "name", "what metrics and the log call this standby")
                .that(
                        name == null || NAME.matcher(name).matches(),
                        "name",
                        "expected 1 to 63 letters, digits, dots, dashes and underscores but found '" + name + "'")
                .required(address, "address", "where the standby listens, such as 127.0.0.1:3308")
                .required(user, "user", "the read-only account that mirrored statements run under")
                .that(user == null || !user.isEmpty(), "user", "is empty; write the account's name");
        if (address != null) {
            Legs.dialable(checks, address);
        }
        checks.that(
                tls.mode() != ServerTlsMode.AS_CLIENT,
                "tls.mode",
                "as-client is of primary.tls: a standby has no client's leg; write preferred, required, verify-ca or"
                        + " verify-full");
        Legs.positive(checks, connectTimeout, "connectTimeout");
        checks.done();
    }
}
