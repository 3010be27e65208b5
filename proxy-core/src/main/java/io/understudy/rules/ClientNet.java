package io.understudy.rules;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Where a client comes from: {@code 10.0.0.0/8}, {@code fd00::/8}, a single address, each with {@code !} negated. */
public final class ClientNet implements Term {

    /** What a network looks like, as a regular expression for schemas. */
    public static final String PATTERN = "^!?[0-9A-Fa-f:.]+(/[0-9]{1,3})?$";

    /** An example of the syntax. */
    public static final String EXAMPLE = "10.0.0.0/8";

    private static final Pattern IPV4 = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
    private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");
    private static final Pattern PREFIX = Pattern.compile("[0-9]{1,3}");

    private final String text;
    private final boolean negated;
    private final byte[] network;
    private final int prefix;

    private ClientNet(String text, boolean negated, byte[] network, int prefix) {
        this.text = text;
        this.negated = negated;
        this.network = network;
        this.prefix = prefix;
    }

    /**
     * Reads a network.
     *
     * @throws IllegalArgumentException for anything else, also for bits set behind the prefix, with what was expected
     */
    public static ClientNet parse(String text) {
        boolean negated = text.startsWith("!");
        String net = negated ? text.substring(1) : text;
        int slash = net.indexOf('/');
        byte[] address = address(slash < 0 ? net : net.substring(0, slash), text);
        int bits = address.length * 8;
        int prefix = bits;
        if (slash >= 0) {
            String digits = net.substring(slash + 1);
            prefix = PREFIX.matcher(digits).matches() ? Integer.parseInt(digits) : -1;
            if (prefix < 0 || prefix > bits) {
                throw new IllegalArgumentException(
                        "expected a prefix length from 0 to " + bits + " after the slash but found '" + text + "'");
            }
        }
        for (int bit = prefix; bit < bits; bit++) {
            if ((address[bit / 8] & 0x80 >> bit % 8) != 0) {
                throw new IllegalArgumentException(
                        "'" + text + "' has bits set behind its prefix; clear them or lengthen the prefix");
            }
        }
        return new ClientNet(text, negated, address, prefix);
    }

    private static byte[] address(String host, String text) {
        try {
            if (IPV4.matcher(host).matches()) {
                return InetAddress.getByName(host).getAddress();
            }
            if (IPV6.matcher(host).matches()) {
                return InetAddress.getByName("[" + host + "]").getAddress();
            }
        } catch (UnknownHostException e) {
            // Said below, as for any other text.
        }
        throw new IllegalArgumentException(
                "expected a network such as 10.0.0.0/8 or fd00::/8 but found '" + text + "'");
    }

    @Override
    public boolean negated() {
        return negated;
    }

    /** Whether the address lies in the network, whatever the sign; a client of a Unix socket lies in none. */
    boolean covers(@Nullable InetAddress address) {
        if (address == null) {
            return false;
        }
        byte[] bytes = address.getAddress();
        if (bytes.length != network.length) {
            return false;
        }
        int whole = prefix / 8;
        if (!Arrays.equals(bytes, 0, whole, network, 0, whole)) {
            return false;
        }
        int rest = prefix % 8;
        return rest == 0 || (bytes[whole] & 0xFF00 >> rest & 0xFF) == (network[whole] & 0xFF);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ClientNet that && that.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
