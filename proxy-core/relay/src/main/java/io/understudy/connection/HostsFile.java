package io.understudy.connection;

import io.netty.resolver.HostsFileEntriesProvider;
import io.netty.resolver.HostsFileEntriesResolver;
import io.netty.resolver.ResolvedAddressTypes;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /etc/hosts}, read again when it has changed. On the thread that resolves names. */
final class HostsFile implements HostsFileEntriesResolver {
    private static final File FILE = new File("/etc/hosts");

    private Map<String, List<InetAddress>> ipv4 = Map.of();
    private Map<String, List<InetAddress>> ipv6 = Map.of();
    private long modified = -1;

    @Override
    public @Nullable InetAddress address(String host, ResolvedAddressTypes types) {
        refresh();
        String name = host.toLowerCase(Locale.ENGLISH);
        InetAddress four = types == ResolvedAddressTypes.IPV6_ONLY ? null : first(ipv4.get(name));
        InetAddress six = types == ResolvedAddressTypes.IPV4_ONLY ? null : first(ipv6.get(name));
        boolean sixFirst = types == ResolvedAddressTypes.IPV6_PREFERRED;
        InetAddress found = (sixFirst ? six : four) != null ? (sixFirst ? six : four) : (sixFirst ? four : six);
        // Minimal containers have no hosts file, and name servers need not know this name (RFC 6761).
        return found == null && name.equals("localhost") ? InetAddress.getLoopbackAddress() : found;
    }

    private static @Nullable InetAddress first(@Nullable List<InetAddress> all) {
        return all == null || all.isEmpty() ? null : all.get(0);
    }

    private void refresh() {
        long now = FILE.lastModified();
        if (now == modified) {
            return;
        }
        try {
            HostsFileEntriesProvider entries = HostsFileEntriesProvider.parser().parse(FILE, StandardCharsets.UTF_8);
            ipv4 = entries.ipv4Entries();
            ipv6 = entries.ipv6Entries();
            modified = now;
        } catch (IOException e) {
            // Unreadable for now, as without a file descriptor: what was read before holds.
        }
    }
}
