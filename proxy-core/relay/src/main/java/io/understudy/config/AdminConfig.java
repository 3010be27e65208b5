package io.understudy.config;

import io.understudy.base.HasWarnings;
import io.understudy.base.Secret;
import io.understudy.config.bind.Checks;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP endpoint for metrics, health, API and dashboard.
 *
 * @param enabled whether there is one
 * @param address host and port on which it listens
 * @param token required of a caller that changes anything or reads SQL text; null: both are off
 * @param hosts names in requests' Host header to which it responds, beside its addresses; with TLS to any
 * @param tls null: plain HTTP
 */
public record AdminConfig(
        Boolean enabled,
        Address address,
        @Nullable Secret token,
        List<String> hosts,
        @Nullable AdminTls tls) implements HasWarnings {

    /** Default address of the admin endpoint. */
    public static final Address DEFAULT_ADDRESS = new Address("127.0.0.1", 9307, "");

    private static final int TOKEN_LENGTH = 16;
    /** How the token of docs/kubernetes/secret.yaml begins. */
    private static final String EXAMPLE = "change-me";

    private static final String FIREWALL = "; let a firewall or network policy admit your monitoring alone, or ";

    public AdminConfig {
        enabled = enabled == null || enabled;
        address = address == null ? DEFAULT_ADDRESS : address;
        hosts = hosts == null ? List.of() : List.copyOf(hosts);
        new Checks()
                .that(!address.isUnix(), "address", "expected host:port: HTTP is not served on a socket file")
                .that(
                        token == null || !token.reveal().isBlank(),
                        "token",
                        "is empty; set it, or remove the key to switch off what needs it")
                .that(
                        token == null || !token.reveal().startsWith(EXAMPLE),
                        "token",
                        "is the published example, which anybody may know; 'openssl rand -hex 16' makes one")
                .done();
    }

    /** Returns all names under which it responds. */
    public List<String> names() {
        List<String> names = new ArrayList<>(hosts);
        names.add(address.host());
        return names;
    }

    @Override
    public List<String> warnings() {
        return new Checks()
                .that(
                        token == null || token.reveal().length() >= TOKEN_LENGTH,
                        "token",
                        "shorter than " + TOKEN_LENGTH
                                + " characters, which can be guessed; 'openssl rand -hex 16' makes one")
                .that(
                        !reached() || tls != null || token != null,
                        "address",
                        "other hosts can reach it, and it has no TLS: metrics, and the users and addresses of sessions,"
                                + " are open to them" + FIREWALL + "set admin.tls and admin.token")
                .that(
                        !reached() || tls != null || token == null,
                        "address",
                        "other hosts can reach it, and it has no TLS: the token and SQL text can be read on the way,"
                                + " and sessions by anyone" + FIREWALL + "set admin.tls")
                .that(
                        !reached() || tls == null || token != null,
                        "address",
                        "other hosts can reach it, and there is no token: nobody can be let in to what needs one"
                                + FIREWALL + "set admin.token")
                .lines();
    }

    private boolean reached() {
        return enabled && !address.isLoopback();
    }
}
