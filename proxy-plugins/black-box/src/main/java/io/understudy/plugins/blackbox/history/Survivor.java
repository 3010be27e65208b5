package io.understudy.plugins.blackbox.history;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.servers.ReportedPosition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The server that takes the primary's place, or would, as of its last probe.
 *
 * @param name a standby's name, {@code primary}, or an address
 * @param applied its part of the history
 * @param received transactions received and still in relay logs; null if unknown
 * @param position as text, up to which it has transactions
 * @param chosen why it was chosen
 * @param server identity of the server, the same under each name
 * @param others names of other servers that take writes, if the choice was between them
 */
public record Survivor(
        String name,
        Applied applied,
        @Nullable Applied received,
        String position,
        boolean readOnly,
        String chosen,
        String server,
        List<String> others) {
    /**
     * Returns the survivor with a server's positions.
     *
     * @throws IllegalArgumentException if its positions cannot be parsed
     */
    public static Survivor of(String name, ServerFlavor flavor, ReportedPosition reported, String chosen) {
        String received = reported.received();
        return new Survivor(
                name,
                Applied.of(flavor, reported.replicated(), reported.logged()),
                received == null ? null : Applied.of(flavor, received, ""),
                reported.reached(),
                reported.readOnly(),
                chosen,
                reported.server().isEmpty() ? name : reported.server(),
                List.of());
    }

    /** Returns whether these are this server's facts, by its server id. */
    public boolean isServerOf(PrimaryFacts facts) {
        return isServerOf(server, facts);
    }

    /** Returns whether it is not known which server it is. */
    public boolean isUnidentified() {
        return server.equals(name);
    }

    /** As above, by {@link #server}. */
    public static boolean isServerOf(String server, PrimaryFacts facts) {
        return server.endsWith(":" + facts.serverId());
    }

    public Survivor applying(Applied known) {
        Applied toRelayLogs =
                received != null && known instanceof Renumbered numbers ? numbers.received(received) : received;
        return new Survivor(name, known, toRelayLogs, position, readOnly, chosen, server, others);
    }

    public Survivor because(String why) {
        return new Survivor(name, applied, received, position, readOnly, why, server, others);
    }

    public Survivor beside(List<String> writable) {
        return new Survivor(name, applied, received, position, readOnly, chosen, server, List.copyOf(writable));
    }
}
