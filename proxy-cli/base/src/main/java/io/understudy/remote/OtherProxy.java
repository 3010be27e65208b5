package io.understudy.remote;

import io.understudy.config.AdminConfig;
import io.understudy.config.Peer;
import io.understudy.config.UnderstudyConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Another proxy before the same primary, as {@code peers} names it.
 *
 * @param name the address of its admin endpoint, for people
 * @param admin its client, with the token of the configuration that named it
 */
public record OtherProxy(String name, AdminClient admin) {
    /** A proxy that is down must not keep a failover waiting. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Returns the peers of a configuration, which have its token, and its certificate if it has one. */
    public static List<OtherProxy> of(UnderstudyConfig config) throws IOException {
        AdminConfig own = config.admin();
        return of(config, own.token() == null ? null : own.token().reveal(), AdminTrust.of(own));
    }

    /**
     * Returns the peers of a configuration. A name is looked up now; one that is not known is a proxy that does not
     * respond.
     *
     * @param trust null: plain HTTP
     */
    public static List<OtherProxy> of(UnderstudyConfig config, @Nullable String token, @Nullable AdminTrust trust) {
        List<String> addresses = new ArrayList<>();
        for (Peer peer : config.peers()) {
            if (peer.address() != null) {
                addresses.add(peer.address().toString());
            } else {
                addresses.addAll(lookUp(peer, config.admin()));
            }
        }
        return addresses.stream()
                .distinct()
                .filter(address -> !address.equals(config.admin().address().toString()))
                .map(address -> new OtherProxy(address, new AdminClient(address, token, trust).within(PATIENCE)))
                .toList();
    }

    private static List<String> lookUp(Peer peer, AdminConfig own) {
        String name = String.valueOf(peer.dns());
        List<String> found = new ArrayList<>();
        try {
            for (InetAddress each : InetAddress.getAllByName(name)) {
                if (!peer.port().equals(own.address().port()) || NetworkInterface.getByInetAddress(each) == null) {
                    found.add(
                            each.getHostAddress().contains(":")
                                    ? "[" + each.getHostAddress() + "]:" + peer.port()
                                    : each.getHostAddress() + ":" + peer.port());
                }
            }
        } catch (UnknownHostException | SocketException e) {
            found.add(name + ":" + peer.port());
        }
        return found;
    }
}
