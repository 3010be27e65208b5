package io.understudy.connection;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The system's resolver configuration, see resolv.conf(5). Without a name server it means one on this machine, as to
 * the C library: never somebody else's.
 *
 * @param servers in the order in which they are queried
 * @param search domains that are appended to a name
 * @param ndots dots from which a name is first queried as it is
 * @param timeoutSeconds for one query to one server
 */
record ResolvConf(List<InetSocketAddress> servers, List<String> search, int ndots, int timeoutSeconds) {
    private static final int PORT = 53;
    private static final int MAX_SERVERS = 3;
    private static final int MAX_NDOTS = 15;
    private static final int MAX_TIMEOUT_SECONDS = 30;

    /** Reads a file; one that is not there is an empty one. */
    static ResolvConf read(Path file) throws IOException {
        return parse(Files.exists(file) ? Files.readAllLines(file, StandardCharsets.ISO_8859_1) : List.of());
    }

    static ResolvConf parse(List<String> lines) {
        List<InetSocketAddress> servers = new ArrayList<>();
        List<String> search = List.of();
        int ndots = 1;
        int timeout = 5;
        for (String line : lines) {
            String[] words = line.strip().split("\\s+");
            List<String> values = List.of(words).subList(1, words.length);
            switch (words[0]) {
                case "nameserver" -> {
                    InetSocketAddress server = values.isEmpty() ? null : server(values.get(0));
                    if (server != null && servers.size() < MAX_SERVERS) {
                        servers.add(server);
                    }
                }
                case "search", "domain" -> search = values;
                case "options" -> {
                    for (String option : values) {
                        ndots = number(option, "ndots:", ndots, MAX_NDOTS);
                        timeout = Math.max(1, number(option, "timeout:", timeout, MAX_TIMEOUT_SECONDS));
                    }
                }
                default -> {
                    // A comment, or an option of the C library alone.
                }
            }
        }
        if (servers.isEmpty()) {
            servers.add(new InetSocketAddress(InetAddress.getLoopbackAddress(), PORT));
        }
        return new ResolvConf(List.copyOf(servers), List.copyOf(search), ndots, timeout);
    }

    /** An address, or as tests need it {@code [address]:port}. */
    private static @org.jspecify.annotations.Nullable InetSocketAddress server(String text) {
        int bracket = text.indexOf("]:");
        String host = bracket < 0 ? text : text.substring(1, bracket);
        InetAddress address = HostNames.literal(host);
        if (address == null) {
            return null;
        }
        return new InetSocketAddress(address, bracket < 0 ? PORT : Integer.parseInt(text.substring(bracket + 2)));
    }

    private static int number(String option, String name, int otherwise, int most) {
        if (!option.startsWith(name)) {
            return otherwise;
        }
        try {
            return Math.max(0, Math.min(most, Integer.parseInt(option.substring(name.length()))));
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }
}
