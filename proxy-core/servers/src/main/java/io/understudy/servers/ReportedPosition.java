package io.understudy.servers;

import io.understudy.plugin.ServerFlavor;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Up to where a server says it has transactions.
 *
 * @param replicated MariaDB's {@code gtid_slave_pos}, MySQL's {@code gtid_executed}
 * @param logged MariaDB's {@code gtid_binlog_state}; empty on MySQL
 * @param received received by its replication connections; null if that could not be queried, as without the privilege
 * @param server identity of the server under whatever name; empty if unknown
 */
public record ReportedPosition(
        String replicated, String logged, @Nullable String received, boolean readOnly, String server) {
    /** Queries a server's positions. Needs a privilege only for the received one. */
    public static ReportedPosition of(DataSource source) throws SQLException {
        try (ServerQueries server = ServerQueries.of(source)) {
            return of(server);
        }
    }

    /** As above, over a connection that is open. */
    public static ReportedPosition of(ServerQueries server) throws SQLException {
        ServerFlavor flavor = server.flavor();
        ReportedPosition applied = applied(server, flavor);
        return new ReportedPosition(
                applied.replicated, applied.logged, received(server, flavor), applied.readOnly, applied.server);
    }

    /** Queries a server's positions, except what it has received. */
    public static ReportedPosition applied(DataSource source, ServerFlavor flavor) throws SQLException {
        try (ServerQueries server = ServerQueries.of(source)) {
            return applied(server, flavor);
        }
    }

    /** As above, over a connection that is open. */
    public static ReportedPosition applied(ServerQueries server, ServerFlavor flavor) throws SQLException {
        String positions = flavor == ServerFlavor.MARIADB
                ? "@@global.gtid_slave_pos, @@global.gtid_binlog_state"
                : "@@global.gtid_executed, ''";
        return server.rows(
                        "SELECT " + positions + ", @@global.read_only, " + Identity.SHORT,
                        row -> new ReportedPosition(
                                ServerQueries.text(row, 1),
                                ServerQueries.text(row, 2),
                                null,
                                ServerQueries.isOn(row.getString(3)),
                                ServerQueries.text(row, 4)))
                .get(0);
    }

    /**
     * Returns the position up to which it has transactions, on one line. On MariaDB a replayed file, and clients, move
     * the binary log's position alone: of each domain, the higher number counts.
     */
    public String reached() {
        if (logged.isBlank()) {
            return replicated.replace("\n", ""); // MySQL begins a line with each server's set
        }
        Map<Long, MariaDbGtid> highest = new TreeMap<>();
        MariaDbGtid.list(replicated + "," + logged)
                .forEach(gtid -> highest.merge(
                        gtid.domain(), gtid, (one, other) -> other.sequence() > one.sequence() ? other : one));
        return MariaDbGtid.text(highest.values());
    }

    private static @Nullable String received(ServerQueries server, ServerFlavor flavor) {
        try {
            return ReplicaStatus.of(server, flavor).stream()
                    .map(ReplicaStatus::received)
                    .filter(position -> !position.isBlank())
                    .collect(Collectors.joining(","));
        } catch (SQLException e) {
            return null;
        }
    }
}
