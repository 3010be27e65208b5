package io.understudy.server;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Probes a standby with three statements on one JDBC connection. */
final class JdbcStandbyProbe implements StandbyProbe {
    private static final int ER_SPECIFIC_ACCESS_DENIED = 1227;
    /** A missing privilege may be granted later; until then the lag is not queried every second. */
    private static final int PROBES_WITHOUT_LAG = 60;

    /** An expression that tells two servers apart. */
    static final String IDENTITY = "CONCAT(@@GLOBAL.hostname, ':', @@GLOBAL.port, ':', @@GLOBAL.server_id)";

    private final DataSource source;
    private int withoutLag;

    JdbcStandbyProbe(DataSource source) {
        this.source = source;
    }

    @Override
    public StandbyProbeResult run() throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            boolean mariaDb;
            boolean readOnly;
            String identity;
            try (ResultSet row = statement.executeQuery("SELECT VERSION(), @@GLOBAL.read_only, " + IDENTITY)) {
                row.next();
                mariaDb = String.valueOf(row.getString(1))
                        .toLowerCase(Locale.ROOT)
                        .contains("mariadb");
                readOnly = ReadOnly.isOn(row.getString(2));
                identity = row.getString(3);
            }
            Map<String, Long> status = status(statement);
            long coldReads = status.getOrDefault("innodb_buffer_pool_reads", -1L);
            if (!mariaDb && coldReads >= 0) {
                // MariaDB includes read-ahead pages in the count of reads, MySQL does not.
                coldReads += status.getOrDefault("innodb_buffer_pool_read_ahead", 0L);
            }
            Lag lag = lag(statement, mariaDb);
            return new StandbyProbeResult(
                    readOnly,
                    lag.seconds(),
                    lag.stopped(),
                    status.getOrDefault("threads_running", -1L).intValue(),
                    coldReads,
                    status.getOrDefault("innodb_buffer_pool_read_requests", 0L),
                    status.getOrDefault("uptime", -1L),
                    identity);
        }
    }

    private static Map<String, Long> status(Statement statement) throws SQLException {
        Map<String, Long> values = new HashMap<>();
        try (ResultSet rows = statement.executeQuery(
                "SHOW GLOBAL STATUS WHERE Variable_name IN ('Threads_running','Uptime','Innodb_buffer_pool_reads',"
                        + "'Innodb_buffer_pool_read_ahead','Innodb_buffer_pool_read_requests')")) {
            while (rows.next()) {
                values.put(rows.getString(1).toLowerCase(Locale.ROOT), rows.getLong(2));
            }
        }
        return values;
    }

    /**
     * The lag as the replication channels report it.
     *
     * @param seconds lag of the channel furthest behind; null when not replicating or not known
     * @param stopped a channel does not know its lag
     */
    private record Lag(@Nullable Double seconds, boolean stopped) {
        private static final Lag UNKNOWN = new Lag(null, false);
    }

    private Lag lag(Statement statement, boolean mariaDb) throws SQLException {
        if (withoutLag > 0) {
            withoutLag--;
            return Lag.UNKNOWN;
        }
        String[] queries = mariaDb
                ? new String[] {"SHOW ALL SLAVES STATUS"}
                : new String[] {"SHOW REPLICA STATUS", "SHOW SLAVE STATUS"};
        SQLException refused = null;
        for (String query : queries) {
            try (ResultSet rows = statement.executeQuery(query)) {
                return furthestBehind(rows, mariaDb || !query.contains("REPLICA"));
            } catch (SQLException e) {
                if (e.getErrorCode() == 0) {
                    throw e; // the connection failed, not the query
                }
                refused = e;
            }
        }
        if (refused != null && refused.getErrorCode() == ER_SPECIFIC_ACCESS_DENIED) {
            withoutLag = PROBES_WITHOUT_LAG;
        }
        return Lag.UNKNOWN;
    }

    private static Lag furthestBehind(ResultSet channels, boolean oldNames) throws SQLException {
        String column = oldNames ? "Seconds_Behind_Master" : "Seconds_Behind_Source";
        Double furthest = null;
        boolean stopped = false;
        while (channels.next()) {
            double seconds = channels.getDouble(column);
            if (channels.wasNull()) {
                stopped |= !isOfGroup(channels);
            } else if (furthest == null || seconds > furthest) {
                furthest = seconds;
            }
        }
        return new Lag(furthest, stopped);
    }

    /** MySQL's group replication has a recovery channel, which is usually stopped. */
    private static boolean isOfGroup(ResultSet channel) throws SQLException {
        ResultSetMetaData columns = channel.getMetaData();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            if (columns.getColumnLabel(i).equalsIgnoreCase("Channel_Name")) {
                return String.valueOf(channel.getString(i)).startsWith("group_replication_");
            }
        }
        return false;
    }
}
