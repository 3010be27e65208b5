package io.understudy.server;

import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.Identity;
import io.understudy.servers.ReplicaStatus;
import io.understudy.servers.ServerQueries;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Probes a standby with three statements on one JDBC connection. */
final class JdbcStandbyProbe implements StandbyMonitor.Probe {
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
            List<ReplicaStatus> channels = channels(server, role.flavor());
            return new StandbyProbeResult(
                    role.readOnly(),
                    furthestBehind(channels),
                    channels.stream().anyMatch(JdbcStandbyProbe::isStopped),
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

    /** What the replication channels say of the lag; nothing of a server that may not be asked. */
    private List<ReplicaStatus> channels(ServerQueries server, ServerFlavor flavor) throws SQLException {
        if (withoutLag > 0) {
            withoutLag--;
            return List.of();
        }
        try {
            return ReplicaStatus.of(server, flavor);
        } catch (SQLException e) {
            ServerQueries.ensureRefused(e);
            if (e.getErrorCode() == ER_SPECIFIC_ACCESS_DENIED) {
                withoutLag = PROBES_WITHOUT_LAG;
            }
            return List.of();
        }
    }

    /** Returns the lag of the channel furthest behind; null when not replicating or not known. */
    private static @Nullable Double furthestBehind(List<ReplicaStatus> channels) {
        OptionalDouble furthest = channels.stream()
                .map(ReplicaStatus::secondsBehind)
                .flatMapToDouble(OptionalDouble::stream)
                .max();
        return furthest.isPresent() ? furthest.getAsDouble() : null;
    }

    /** MySQL's group replication has a recovery channel, which is usually stopped. */
    private static boolean isStopped(ReplicaStatus channel) {
        return channel.secondsBehind().isEmpty() && !channel.isOfGroup();
    }
}
