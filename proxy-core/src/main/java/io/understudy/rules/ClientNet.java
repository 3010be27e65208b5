package io.understudy.rules;

import io.understudy.base.Cidr;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * Where a client comes from: {@code 10.0.0.0/8}, {@code fd00::/8}, a single address, each with {@code !} negated.
 *
 * @param text as it was written
 */
public record ClientNet(String text, Cidr network, boolean negated) implements Term {

    /** What a network looks like, as a regular expression for schemas. */
    public static final String PATTERN = "^!?" + Cidr.PATTERN.substring(1);

    /** An example of the syntax. */
    public static final String EXAMPLE = Cidr.EXAMPLE;

    /**
     * Reads a network.
     *
     * @throws IllegalArgumentException for anything else, also for bits set behind the prefix, with what was expected
     */
    public static ClientNet parse(String text) {
        boolean negated = text.startsWith("!");
        if (text.equals("!")) {
            throw new IllegalArgumentException(
                    "expected a network such as 10.0.0.0/8 or fd00::/8 but found '" + text + "'");
        }
        return new ClientNet(text, Cidr.parse(negated ? text.substring(1) : text), negated);
    }

    /** Whether the address lies in the network, whatever the sign; a client of a Unix socket lies in none. */
    boolean covers(@Nullable InetAddress address) {
        return address != null && network.contains(address);
    }

    @Override
    public String toString() {
        return text;
    }
}
