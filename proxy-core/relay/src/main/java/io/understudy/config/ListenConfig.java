package io.understudy.config;

import io.understudy.base.Cidr;
import io.understudy.base.HasWarnings;
import io.understudy.config.bind.Checks;
import io.understudy.config.bind.RecordShape;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The addresses and the manner in which clients are accepted.
 *
 * @param address one or more addresses
 * @param compression algorithms that clients may negotiate; empty for none
 * @param proxyProtocol whether connections from the trusted networks start with a PROXY protocol header
 * @param trustedNetworks networks that may send that header
 * @param maxConnections maximum number of clients; the next one gets ERROR 1040 (08004)
 * @param reusePort whether a second process may listen on the same ports and take over from this one
 * @param threads event loops that relay sessions; 0 for half as many as the processors
 */
public record ListenConfig(
        List<Address> address,
        ListenTls tls,
        List<Compression> compression,
        AcceptProxyProtocol proxyProtocol,
        List<Cidr> trustedNetworks,
        Integer maxConnections,
        Boolean reusePort,
        Integer threads)
        implements HasWarnings {

    /** Default address: the port next to the server's. */
    public static final Address DEFAULT_ADDRESS = new Address("127.0.0.1", 3307, "");

    public ListenConfig {
        address = address == null ? List.of(DEFAULT_ADDRESS) : List.copyOf(address);
        tls = tls == null ? RecordShape.defaults(ListenTls.class) : tls;
        compression = compression == null ? List.of(Compression.values()) : List.copyOf(compression);
        proxyProtocol = proxyProtocol == null ? AcceptProxyProtocol.DISABLED : proxyProtocol;
        trustedNetworks = trustedNetworks == null ? List.of() : List.copyOf(trustedNetworks);
        maxConnections = maxConnections == null ? 10_000 : maxConnections;
        reusePort = reusePort != null && reusePort;
        threads = threads == null ? 0 : threads;
        Checks checks = new Checks()
                .that(!address.isEmpty(), "address", "required: at least one address")
                .that(maxConnections >= 1, "maxConnections", "expected at least 1 but found " + maxConnections)
                .that(threads >= 0 && threads <= 1024, "threads", "expected 0 to 1024 but found " + threads)
                .that(
                        proxyProtocol == AcceptProxyProtocol.DISABLED || !trustedNetworks.isEmpty(),
                        "trustedNetworks",
                        "required: whoever may send a PROXY header can claim any address; list the load balancers");
        Set<Address> seen = new HashSet<>();
        for (int i = 0; i < address.size(); i++) {
            Address one = address.get(i);
            checks.that(
                    !reusePort || !one.isUnix(),
                    "address[" + i + "]",
                    "is a socket file, which two processes cannot share; remove it, or listen.reusePort");
            // Each port 0 is a different free port.
            boolean fresh = (!one.isUnix() && one.port() == 0) || seen.add(one);
            checks.that(fresh, "address[" + i + "]", "is listed twice; remove one");
        }
        Legs.distinct(checks, compression);
        checks.done();
    }

    @Override
    public List<String> warnings() {
        return new Checks()
                .that(
                        proxyProtocol != AcceptProxyProtocol.DISABLED || trustedNetworks.isEmpty(),
                        "trustedNetworks",
                        "not used: proxyProtocol is disabled")
                .lines();
    }
}
