package io.understudy.plugins.blackbox;

import io.understudy.plugin.ServerFlavor;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
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
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            boolean mariadb = one(statement, "SELECT VERSION()").contains("MariaDB");
            Reported reported = positions(statement, mariadb);
            return new Reported(
                    reported.replicated(),
                    reported.logged(),
                    received(statement, mariadb),
                    reported.readOnly(),
                    reported.server());
        }
    }

    /** Queries a server's positions, except what it has received. */
    static Reported applied(DataSource source, ServerFlavor flavor) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            return positions(statement, flavor == ServerFlavor.MARIADB);
        }
    }

    private static Reported positions(Statement statement, boolean mariadb) throws SQLException {
        String sql = mariadb
                ? "SELECT @@global.gtid_slave_pos, @@global.gtid_binlog_state, @@global.read_only, "
                : "SELECT @@global.gtid_executed, '', @@global.read_only, ";
        try (ResultSet row = statement.executeQuery(sql + SERVER)) {
            row.next();
            String readOnly = text(row, 3);
            return new Reported(
                    text(row, 1),
                    text(row, 2),
                    null,
                    !readOnly.equals("0") && !readOnly.equalsIgnoreCase("OFF"),
                    text(row, 4));
        }
    }

    private static @Nullable String received(Statement statement, boolean mariadb) {
        List<String> all = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery(mariadb ? "SHOW ALL SLAVES STATUS" : "SHOW REPLICA STATUS")) {
            while (rows.next()) {
                String position = rows.getString(mariadb ? "Gtid_IO_Pos" : "Retrieved_Gtid_Set");
                if (position != null && !position.isBlank()) {
                    all.add(position);
                }
            }
        } catch (SQLException e) {
            return null;
        }
        return String.join(",", all);
    }

    private static String one(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return text(row, 1);
        }
    }

    private static String text(ResultSet row, int column) throws SQLException {
        String text = row.getString(column);
        return text == null ? "" : text;
    }
}
