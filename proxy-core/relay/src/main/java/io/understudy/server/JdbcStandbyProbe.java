package io.understudy.server;

import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.Identity;
import io.understudy.servers.ReplicaStatus;
import io.understudy.servers.ServerQueries;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Probes a standby with three statements on one JDBC connection. */
final class JdbcStandbyProbe implements StandbyProbe {
    private static final int ER_SPECIFIC_ACCESS_DENIED = 1227;
    /** A missing privilege may be granted later; until then the lag is not queried every second. */
    private static final int PROBES_WITHOUT_LAG = 60;

    private static final String ROLE = "SELECT VERSION(), @@GLOBAL.read_only, " + Identity.SHORT;
    private static final String STATUS = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Threads_running','Uptime',"
            + "'Innodb_buffer_pool_reads','Innodb_buffer_pool_read_ahead','Innodb_buffer_pool_read_requests')";

    private final DataSource source;
    private int withoutLag;

    JdbcStandbyProbe(DataSource source) {
        this.source = source;
    }

    @Override
    public StandbyProbeResult run() throws SQLException {
        try (ServerQueries server = ServerQueries.of(source)) {
            Role role = server.rows(ROLE, Role::of).get(0);
            boolean mariaDb = role.flavor() == ServerFlavor.MARIADB;
            Map<String, String> status = server.pairs(STATUS);
            long coldReads = number(status, "innodb_buffer_pool_reads", -1);
            if (!mariaDb && coldReads >= 0) {
                // MariaDB includes read-ahead pages in the count of reads, MySQL does not.
                coldReads += number(status, "innodb_buffer_pool_read_ahead", 0);
            }
            Lag lag = lag(server, role.flavor());
            return new StandbyProbeResult(
                    role.readOnly(),
                    lag.seconds(),
                    lag.stopped(),
                    (int) number(status, "threads_running", -1),
                    coldReads,
                    number(status, "innodb_buffer_pool_read_requests", 0),
                    number(status, "uptime", -1),
                    role.identity());
        }
    }

    /** What the first statement tells. */
    private record Role(
            ServerFlavor flavor, boolean readOnly, @Nullable String identity) {
        static Role of(ResultSet row) throws SQLException {
            return new Role(
                    ServerFlavor.of(String.valueOf(row.getString(1))),
                    ServerQueries.isOn(row.getString(2)),
                    row.getString(3));
        }
    }

    private static long number(Map<String, String> status, String name, long missing) {
        String value = status.get(name);
        return value == null ? missing : Long.parseLong(value);
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

    private Lag lag(ServerQueries server, ServerFlavor flavor) throws SQLException {
        if (withoutLag > 0) {
            withoutLag--;
            return Lag.UNKNOWN;
        }
        try {
            return furthestBehind(ReplicaStatus.of(server, flavor));
        } catch (SQLException e) {
            ServerQueries.ensureRefused(e);
            if (e.getErrorCode() == ER_SPECIFIC_ACCESS_DENIED) {
                withoutLag = PROBES_WITHOUT_LAG;
            }
            return Lag.UNKNOWN;
        }
    }

    private static Lag furthestBehind(List<ReplicaStatus> channels) {
        Double furthest = null;
        boolean stopped = false;
        for (ReplicaStatus channel : channels) {
            if (channel.secondsBehind().isPresent()) {
                double seconds = channel.secondsBehind().getAsDouble();
                furthest = furthest == null ? seconds : Math.max(furthest, seconds);
            } else {
                // MySQL's group replication has a recovery channel, which is usually stopped.
                stopped |= !channel.isOfGroup();
            }
        }
        return new Lag(furthest, stopped);
    }
}
