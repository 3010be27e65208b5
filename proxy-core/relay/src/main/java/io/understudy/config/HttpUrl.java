package io.understudy.config;

import java.net.URI;
import java.net.URISyntaxException;

/**
 * The URL of an HTTP request that the proxy sends, with a path.
 *
 * @param uri absolute
 */
public record HttpUrl(URI uri) {

    /** Regular expression of a URL, for schemas. */
    public static final String PATTERN = "^[Hh][Tt][Tt][Pp][Ss]?://[^/@]+/.+$";

    /** An example of the syntax. */
    public static final String EXAMPLE = "http://127.0.0.1:4318/v1/metrics";

    /**
     * Parses a URL.
     *
     * @throws IllegalArgumentException if the text is none; the message says what was expected
     */
    public static HttpUrl parse(String text) {
        URI uri;
        try {
            uri = new URI(text);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(expected(text), e);
        }
        String scheme = uri.getScheme();
        if (scheme == null || !(scheme.equalsIgnoreCase("http") || scheme.equalsIgnoreCase("https"))) {
            throw new IllegalArgumentException(expected(text));
        }
        if (uri.getRawUserInfo() != null) {
            throw new IllegalArgumentException(
                    "has a user or a password, which the log would show; send them in a header instead");
        }
        if (uri.getHost() == null || uri.getPort() > 65_535 || uri.getRawFragment() != null) {
            throw new IllegalArgumentException(expected(text));
        }
        if (uri.getRawPath().length() < 2) {
            throw new IllegalArgumentException(
                    "expected a path at the end, such as /v1/metrics, but found '" + text + "'");
        }
        return new HttpUrl(uri);
    }

    private static String expected(String text) {
        return "expected a URL such as " + EXAMPLE + " but found '" + text + "'";
    }

    /** Returns whether what is sent is encrypted. */
    boolean isEncrypted() {
        return uri.getScheme().equalsIgnoreCase("https");
    }

    /** Returns whether only this host is reached for certain. */
    boolean isLoopback() {
        String host = uri.getHost();
        boolean brackets = host.startsWith("[");
        return new Address(brackets ? host.substring(1, host.length() - 1) : host, 0, "").isLoopback();
    }

    /** Returns the URL without its query, which may have a key of an account. */
    public String withoutQuery() {
        return uri.getScheme() + "://" + uri.getRawAuthority() + uri.getRawPath();
    }

    @Override
    public String toString() {
        return uri.toString();
    }
}
