package io.understudy.config;

import io.understudy.config.bind.Checks;
import io.understudy.config.bind.MappingToo;
import org.jspecify.annotations.Nullable;

/**
 * Other proxies before the same primary, by their admin endpoints: {@code host:port}, or a mapping with a name.
 *
 * @param address the endpoint of one; null with {@code dns}
 * @param dns a name that stands for all of them; null with {@code address}
 * @param port the port of the endpoints of {@code dns}
 */
@MappingToo
public record Peer(@Nullable Address address, @Nullable String dns, Integer port) {

    /** Regular expression of an address, for schemas. */
    public static final String PATTERN = Address.PATTERN;

    /** An example of the syntax. */
    public static final String EXAMPLE = "proxy-2:9307";

    public Peer {
        int usual = AdminConfig.DEFAULT_ADDRESS.port();
        port = port == null ? usual : port;
        new Checks()
                .that(
                        (address == null) != (dns == null),
                        "dns",
                        "expected the address of a proxy's admin endpoint, such as " + EXAMPLE
                                + ", or { dns: NAME } for all that a name stands for")
                .that(
                        address == null || !address.isUnix(),
                        "address",
                        "expected host:port: HTTP is not served on a socket file")
                .that(dns == null || !dns.isEmpty(), "dns", "is empty; write the name of the proxies")
                .that(dns == null || dns.indexOf(':') < 0, "dns", "expected a name alone; its port is the key port")
                .that(dns != null || port == usual, "port", "belongs to dns; an address has its own")
                .that(port > 0 && port < 65_536, "port", "expected 1 to 65535 but found " + port)
                .done();
    }

    /**
     * Parses the address of one.
     *
     * @throws IllegalArgumentException if the text is no address; the message says what was expected
     */
    public static Peer parse(String text) {
        Address address = Address.parse(text);
        if (address.isUnix()) {
            throw new IllegalArgumentException("expected host:port: HTTP is not served on a socket file");
        }
        return new Peer(address, null, AdminConfig.DEFAULT_ADDRESS.port());
    }

    @Override
    public String toString() {
        return address == null ? "dns: " + dns + " port: " + port : address.toString();
    }
}
