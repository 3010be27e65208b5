package io.understudy.base;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A network: {@code 10.0.0.0/8}, {@code fd00::/8}, or a single address. */
public final class Cidr {

    /** Regular expression of a network, for schemas. */
    public static final String PATTERN = "^[0-9A-Fa-f:.]+(/[0-9]{1,3})?$";

    /** An example of the syntax. */
    public static final String EXAMPLE = "10.0.0.0/8";

    private static final Pattern IPV4 = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
    private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");
    private static final Pattern PREFIX = Pattern.compile("[0-9]{1,3}");

    private final byte[] network;
    private final int prefix;

    private Cidr(byte[] network, int prefix) {
        this.network = network;
        this.prefix = prefix;
    }

    /**
     * Parses a network.
     *
     * @throws IllegalArgumentException if the text is no network or has bits set behind the prefix; the message says
     *     what was expected
     */
    public static Cidr parse(String text) {
        int slash = text.indexOf('/');
        byte[] address = address(slash < 0 ? text : text.substring(0, slash), text);
        int bits = address.length * 8;
        int prefix = bits;
        if (slash >= 0) {
            String digits = text.substring(slash + 1);
            prefix = PREFIX.matcher(digits).matches() ? Integer.parseInt(digits) : -1;
            if (prefix < 0 || prefix > bits) {
                throw new IllegalArgumentException(
                        "expected a prefix length from 0 to " + bits + " after the slash but found '" + text + "'");
            }
        }
        Cidr cidr = new Cidr(masked(address, prefix), prefix);
        if (!Arrays.equals(cidr.network, address)) {
            throw new IllegalArgumentException("'" + text + "' has bits set behind its prefix; the network is " + cidr);
        }
        return cidr;
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
            // Reported below, as for any other text.
        }
        throw new IllegalArgumentException(
                "expected a network such as 10.0.0.0/8 or fd00::/8 but found '" + text + "'");
    }

    private static byte[] masked(byte[] address, int prefix) {
        byte[] result = address.clone();
        for (int bit = prefix; bit < result.length * 8; bit++) {
            result[bit / 8] &= (byte) ~(0x80 >> (bit % 8));
        }
        return result;
    }

    /**
     * Returns whether the network contains an address. An IPv4 address is never in an IPv6 network, nor the reverse.
     */
    public boolean contains(InetAddress address) {
        byte[] bytes = address.getAddress();
        int whole = prefix / 8;
        if (bytes.length != network.length || !Arrays.equals(bytes, 0, whole, network, 0, whole)) {
            return false;
        }
        int rest = prefix % 8;
        return rest == 0 || (bytes[whole] & 0xFF00 >> rest & 0xFF) == (network[whole] & 0xFF);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Cidr cidr && cidr.prefix == prefix && Arrays.equals(cidr.network, network);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(network) * 31 + prefix;
    }

    @Override
    public String toString() {
        try {
            return InetAddress.getByAddress(network).getHostAddress() + "/" + prefix;
        } catch (UnknownHostException e) {
            throw new IllegalStateException("a network of " + network.length + " bytes", e);
        }
    }
}
