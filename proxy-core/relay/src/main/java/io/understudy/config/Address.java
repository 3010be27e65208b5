package io.understudy.config;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * An address to listen on or to connect to: {@code host:port}, {@code [::1]:3306} or {@code unix:/path}. Names are not
 * resolved here. Port 0, any free port, is for listeners only.
 *
 * @param host the name or address, without brackets; empty for a socket file
 * @param port 0 to 65535; 0 for a socket file
 * @param path the socket file; empty for a host
 */
public record Address(String host, int port, String path) {

    /** Regular expression of an address, for schemas. */
    public static final String PATTERN =
            "^(unix:/.+|\\[[0-9A-Fa-f:.%a-zA-Z]+\\]:[0-9]{1,5}|[A-Za-z0-9._-]+:[0-9]{1,5})$";

    /** An example of the syntax. */
    public static final String EXAMPLE = "127.0.0.1:3306";

    /** {@code sun_path} of {@code sockaddr_un} on Linux holds 108 bytes with the closing zero. */
    private static final int MAX_SOCKET_PATH = 107;

    private static final String EXPECTED = "expected host:port, [ipv6]:port or unix:/path";
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._-]{1,253}");
    private static final Pattern LOOPBACK = Pattern.compile("127(\\.[0-9]{1,3}){3}");
    private static final Pattern PORT = Pattern.compile("[0-9]{1,5}");

    /**
     * Parses an address.
     *
     * @throws IllegalArgumentException if the text is no address; the message says what was expected
     */
    public static Address parse(String text) {
        if (text.startsWith("unix:")) {
            return socketFile(text.substring("unix:".length()));
        }
        int colon = text.lastIndexOf(':');
        if (colon < 0 || text.endsWith("]")) {
            throw new IllegalArgumentException(EXPECTED + " but found '" + text + "', which has no port");
        }
        String host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
            if (!isIpv6(host)) {
                throw new IllegalArgumentException(EXPECTED + " but '" + host + "' is not an IPv6 address");
            }
        } else if (host.indexOf(':') >= 0) {
            throw new IllegalArgumentException(
                    EXPECTED + " but found '" + text + "'; an IPv6 address needs brackets, as in [::1]:3306");
        } else if (!HOST.matcher(host).matches()) {
            throw new IllegalArgumentException(EXPECTED + " but found '" + text + "'");
        }
        return new Address(host, port(text.substring(colon + 1), text), "");
    }

    private static Address socketFile(String path) {
        if (!path.startsWith("/") || path.length() == 1) {
            throw new IllegalArgumentException("expected unix: and an absolute path but found 'unix:" + path + "'");
        }
        if (path.getBytes(StandardCharsets.UTF_8).length > MAX_SOCKET_PATH) {
            throw new IllegalArgumentException(
                    "the path of a socket file can have at most " + MAX_SOCKET_PATH + " bytes; shorten it");
        }
        return new Address("", 0, path);
    }

    private static int port(String digits, String text) {
        int port = PORT.matcher(digits).matches() ? Integer.parseInt(digits) : -1;
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("expected a port from 0 to 65535 at the end but found '" + text + "'");
        }
        return port;
    }

    private static boolean isIpv6(String host) {
        if (host.indexOf(':') < 0) {
            return false;
        }
        try {
            return !literal(host).getHostAddress().isEmpty();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Brackets accept a literal only, so no name is resolved. */
    private static InetAddress literal(String ipv6) {
        try {
            return InetAddress.getByName("[" + ipv6 + "]");
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** Returns whether this is a socket file. */
    public boolean isUnix() {
        return !path.isEmpty();
    }

    /** Returns whether only this host reaches it for certain. Names other than localhost are not resolved. */
    public boolean isLoopback() {
        return isUnix()
                || host.equalsIgnoreCase("localhost")
                || LOOPBACK.matcher(host).matches()
                || isIpv6(host) && literal(host).isLoopbackAddress();
    }

    /**
     * Returns the unresolved address for a connector.
     *
     * @throws IllegalStateException for a socket file
     */
    public InetSocketAddress toInet() {
        if (isUnix()) {
            throw new IllegalStateException(this + " is a socket file");
        }
        return InetSocketAddress.createUnresolved(host, port);
    }

    @Override
    public String toString() {
        if (isUnix()) {
            return "unix:" + path;
        }
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
