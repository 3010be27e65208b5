package io.understudy.admin;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.NetUtil;
import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The names under which the endpoint responds. A page of another origin whose name an attacker rebinds to this address
 * would otherwise be of the same origin, and read what needs no token. Addresses cannot be rebound. Thread-safe.
 */
final class AdminHosts {
    private static final String LOOPBACK = "localhost";

    private final boolean open;
    private volatile Set<String> names;

    /**
     * @param open whether any name will do: with TLS the browser has checked the name already
     * @param names those that are allowed beside the loopback's
     */
    AdminHosts(boolean open, Collection<String> names) {
        this.open = open;
        this.names = normal(names);
    }

    void replace(Collection<String> next) {
        names = normal(next);
    }

    private static Set<String> normal(Collection<String> names) {
        return names.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toUnmodifiableSet());
    }

    /** Returns the refusal of a request with that Host header, or null. */
    @Nullable
    AdminResponse refusal(@Nullable String header) {
        if (open || header == null) {
            return null; // without a header it comes from no browser
        }
        String name = name(header);
        if (name.equals(LOOPBACK)
                || NetUtil.isValidIpV4Address(name)
                || NetUtil.isValidIpV6Address(name)
                || names.contains(name)) {
            return null;
        }
        return AdminResponse.error(
                HttpResponseStatus.MISDIRECTED_REQUEST,
                "this endpoint does not respond under the name in the Host header; use its IP address, or add the name"
                        + " to admin.hosts");
    }

    private static String name(String header) {
        String host = header.strip().toLowerCase(Locale.ROOT);
        if (host.startsWith("[")) {
            int end = host.indexOf(']');
            return end < 0 ? host : host.substring(1, end);
        }
        int port = host.lastIndexOf(':');
        host = port < 0 ? host : host.substring(0, port);
        return host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
    }
}
