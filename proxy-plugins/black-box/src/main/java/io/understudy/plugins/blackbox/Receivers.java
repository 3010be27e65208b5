package io.understudy.plugins.blackbox;

import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.ReplicaStatus;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which standbys receive something while the proxy has no word from the primary: then that is not dead, though it does
 * not respond to the proxy. One that is dead or frozen sends nothing, though a standby may count as connected to it for
 * a minute. Asked by one thread at a time.
 */
final class Receivers {
    private static final Logger log = LoggerFactory.getLogger(Receivers.class);

    /** By {@link Survivor#server}, what it had received when it was first asked. */
    private final Map<String, String> first = new HashMap<>();
    /** Those that have received more since. */
    private final Set<String> receiving = ConcurrentHashMap.newKeySet();

    /** Returns whether a server was seen to receive something since the last word. On any thread. */
    boolean isReceiving(String server) {
        return receiving.contains(server);
    }

    /**
     * Called while the primary responds, and its binary log is read.
     *
     * @param renumbered whether of a server, see {@link Survivor#server}, it is not known what it has: then what it
     *     received stays
     */
    void responds(Predicate<String> renumbered) {
        first.keySet().removeIf(renumbered.negate());
        receiving.removeIf(renumbered.negate());
    }

    /** Returns what a server has received, after its position was read; empty if it does not say. */
    String ask(String server, ServerQueries queries, ServerFlavor flavor) {
        try {
            return has(server, ReplicaStatus.of(queries, flavor));
        } catch (SQLException e) {
            log.debug("black-box: a standby does not say what it has received", e);
            return "";
        }
    }

    String has(String server, List<ReplicaStatus> connections) {
        String received = connections.stream()
                .map(each -> each.received() + " " + each.receivedFile())
                .collect(Collectors.joining(","));
        String before = first.putIfAbsent(server, received);
        if (before != null && !before.equals(received) && connections.stream().anyMatch(ReplicaStatus::receives)) {
            receiving.add(server);
        }
        return received;
    }
}
