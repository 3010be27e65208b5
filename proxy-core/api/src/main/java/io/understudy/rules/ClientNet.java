package io.understudy.rules;

import io.understudy.base.Cidr;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * A client's network: {@code 10.0.0.0/8}, {@code fd00::/8} or a single address, each negated by a leading {@code !}.
 */
public final class ClientNet extends Term {

    /** The syntax as a regular expression, for schemas. */
    public static final String PATTERN = "^!?" + Cidr.PATTERN.substring(1);

    /** An example of the syntax, for schemas. */
    public static final String EXAMPLE = Cidr.EXAMPLE;

    private final Cidr network;

    private ClientNet(String text) {
        super(text);
        network = Cidr.parse(plain(text));
    }

    /**
     * Parses a network.
     *
     * @throws IllegalArgumentException when the text is none or has bits set after the prefix; the message says what
     *     was expected
     */
    public static ClientNet parse(String text) {
        if (text.equals("!")) {
            throw new IllegalArgumentException(
                    "expected a network such as 10.0.0.0/8 or fd00::/8 but found '" + text + "'");
        }
        return new ClientNet(text);
    }

    /**
     * Returns whether the address lies in the network, ignoring the negation. A client of a Unix socket has no address
     * and lies in none.
     */
    boolean covers(@Nullable InetAddress address) {
        return address != null && network.contains(address);
    }
}
