package io.understudy.plugins.blackbox;

import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.ReplicaStatus;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Queries servers for their positions. Needs a privilege only for the received position. */
public final class ServerPositions {
    /**
     * A server's positions.
     *
     * @param replicated MariaDB's {@code gtid_slave_pos}, MySQL's {@code gtid_executed}
     * @param logged MariaDB's {@code gtid_binlog_state}; empty on MySQL
     * @param received received by its replication connections; null without the privilege to query it
     * @param server identity of the server under whatever name; empty if unknown
     */
    public record Reported(
            String replicated, String logged, @Nullable String received, boolean readOnly, String server) {
        /**
         * Returns the position up to which it has transactions. On MariaDB a replayed file, and clients, move the
         * binary log's position alone: of each domain, the higher number counts.
         */
        String reached() {
            if (logged.isBlank()) {
                return replicated.replace("\n", ""); // MySQL begins a line with each server's set
            }
            Map<Long, Gtid> highest = new TreeMap<>();
            for (String part : (replicated + "," + logged).split(",")) {
                if (!part.isBlank()) {
                    Gtid gtid = Gtid.mariaDb(part);
                    highest.merge(gtid.domain(), gtid, (one, other) -> other.number() > one.number() ? other : one);
                }
            }
            return highest.values().stream().map(Gtid::text).collect(Collectors.joining(","));
        }
    }

    private static final String SERVER = "CONCAT(@@hostname, ':', @@port, ' ', @@server_id)";

    private ServerPositions() {}

    /** Queries all positions of a server. */
    public static Reported query(DataSource source) throws SQLException {
        try (ServerQueries server = ServerQueries.of(source)) {
            Reported reported = positions(server, server.flavor());
            return new Reported(
                    reported.replicated(), reported.logged(), received(server), reported.readOnly(), reported.server());
        }
    }

    /** Queries a server's positions, except what it has received. */
    static Reported applied(DataSource source, ServerFlavor flavor) throws SQLException {
        try (ServerQueries server = ServerQueries.of(source)) {
            return positions(server, flavor);
        }
    }

    private static Reported positions(ServerQueries server, ServerFlavor flavor) throws SQLException {
        String sql = flavor == ServerFlavor.MARIADB
                ? "SELECT @@global.gtid_slave_pos, @@global.gtid_binlog_state, @@global.read_only, "
                : "SELECT @@global.gtid_executed, '', @@global.read_only, ";
        return server.rows(
                        sql + SERVER,
                        row -> new Reported(
                                ServerQueries.text(row, 1),
                                ServerQueries.text(row, 2),
                                null,
                                ServerQueries.isOn(row.getString(3)),
                                ServerQueries.text(row, 4)))
                .get(0);
    }

    private static @Nullable String received(ServerQueries server) {
        try {
            return ReplicaStatus.of(server).stream()
                    .map(ReplicaStatus::received)
                    .filter(position -> !position.isBlank())
                    .collect(Collectors.joining(","));
        } catch (SQLException e) {
            return null;
        }
    }
}
