package io.understudy.config;

import io.understudy.config.bind.Checks;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The server that clients are connected to.
 *
 * @param address its address; with candidates the first of them, until it is known which one is writable
 * @param candidates servers of which the writable one is the primary, in place of address
 * @param compression algorithms that the proxy asks for, in order of preference; as-client: what the session's client
 *     has; empty for none
 * @param connectTimeout maximum time until the TCP connection is established
 * @param monitor the account for the proxy's own queries; null: the proxy only checks that the server accepts
 *     connections
 */
public record PrimaryConfig(
        Address address,
        List<Address> candidates,
        ServerTlsConfig tls,
        List<ServerCompression> compression,
        SendProxyProtocol proxyProtocol,
        Duration connectTimeout,
        @Nullable MonitorConfig monitor) {

    @SuppressWarnings("NullAway") // absent keys are null
    public PrimaryConfig {
        tls = tls == null ? ServerTlsConfig.preferred() : tls;
        compression = compression == null ? List.of() : List.copyOf(compression);
        proxyProtocol = proxyProtocol == null ? SendProxyProtocol.DISABLED : proxyProtocol;
        connectTimeout = connectTimeout == null ? Duration.ofSeconds(5) : connectTimeout;
        candidates = candidates == null ? List.of() : List.copyOf(candidates);
        Checks checks = new Checks();
        if (candidates.isEmpty()) {
            checks.required(address, "address", "where the primary listens, such as 127.0.0.1:3306");
        } else {
            checks.that(
                            address == null || candidates.get(0).equals(address),
                            "candidates",
                            "stands in place of address; remove one of the two")
                    .that(
                            candidates.size() == Set.copyOf(candidates).size(),
                            "candidates",
                            "names the same address twice")
                    .that(
                            monitor != null,
                            "candidates",
                            "needs monitor with user and password, to find out which candidate is writable");
            candidates.forEach(candidate -> Legs.dialable(checks, candidate));
            address = candidates.get(0);
        }
        if (address != null) {
            Legs.dialable(checks, address);
        }
        Legs.positive(checks, connectTimeout, "connectTimeout");
        Legs.distinct(checks, compression);
        checks.that(
                compression.size() == 1 || !compression.contains(ServerCompression.AS_CLIENT),
                "compression",
                "as-client stands alone: remove it or the algorithms beside it");
        checks.done();
    }

    /** Returns whether a session's server leg has the compression of its client leg. */
    public boolean compressesAsClient() {
        return compression.contains(ServerCompression.AS_CLIENT);
    }
}
