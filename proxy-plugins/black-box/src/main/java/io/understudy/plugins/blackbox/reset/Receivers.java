package io.understudy.plugins.blackbox.reset;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.blackbox.history.Survivor;
import io.understudy.servers.ReplicaStatus;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out which standbys receive something although the primary does not respond to the proxy, or has begun its
 * numbers anew. One that is dead or frozen sends nothing, though a standby may count as connected to it for a minute.
 * Thread-safe.
 */
public final class Receivers {
    private static final Logger log = LoggerFactory.getLogger(Receivers.class);
    /** ER_MASTER_FATAL_ERROR_READING_BINLOG. */
    private static final int REFUSED = 1236;

    /** By {@link Survivor#server}, what it had received when it was first asked. */
    private final Map<String, String> first = new HashMap<>();
    /** The same when it was last asked. */
    private final Map<String, String> last = new HashMap<>();
    /** Those that have received more since. */
    private final Set<String> receiving = new HashSet<>();

    /**
     * Called while the primary responds, and its binary log is read.
     *
     * @param renumbered whether of a server, see {@link Survivor#server}, it is not known what it has: then what it
     *     received stays
     */
    public synchronized void responds(Predicate<String> renumbered) {
        first.keySet().removeIf(renumbered.negate());
        receiving.removeIf(renumbered.negate());
    }

    /** Called after the server's position was read. */
    public Receipt ask(String server, ServerQueries queries, ServerFlavor flavor) {
        try {
            return has(server, ReplicaStatus.of(queries, flavor));
        } catch (SQLException e) {
            log.debug("black-box: a standby does not say what it has received", e);
            return Receipt.UNKNOWN;
        }
    }

    /** Called when an operator has said what the server has: only what it receives from now on counts. */
    public synchronized void compared(String server) {
        String before = last.get(server);
        if (before != null) {
            first.put(server, before);
        }
        receiving.remove(server);
    }

    synchronized Receipt has(String server, List<ReplicaStatus> connections) {
        String received = connections.stream()
                .map(each -> each.received() + " " + each.receivedFile())
                .collect(Collectors.joining(",", "[", "]"))
                .replaceAll("\\s", "");
        boolean connected = connections.stream().anyMatch(ReplicaStatus::receives);
        last.put(server, received);
        String before = first.putIfAbsent(server, received);
        if (before != null && !before.equals(received) && connected) {
            receiving.add(server);
        }
        return new Receipt(
                received,
                !connected && connections.stream().anyMatch(each -> each.receiverErrno() == REFUSED),
                receiving.contains(server));
    }

    /**
     * What a server says of what its replication receives.
     *
     * @param received up to where it has received; empty if it does not say
     * @param refused whether the primary refuses to send, as it lacks what the server has or needs (error 1236)
     * @param receives whether it was seen to receive something although the primary does not respond to the proxy, or
     *     has begun its numbers anew
     */
    public record Receipt(String received, boolean refused, boolean receives) {
        public static final Receipt UNKNOWN = new Receipt("", false, false);

        /** Returns whether nothing is sent to it, if the primary does not respond to the proxy either. */
        boolean isNothing() {
            return !received.isEmpty() && !receives;
        }
    }
}
