package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.Standby;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Asks primary and standbys how far they are and tells {@link Progress}. From the end of an epoch until Progress has been told, one
 * thread holds {@link #turn}, so that positions reach Progress in the order in which they were asked for.
 */
final class Positions {
    private static final int TIMEOUT_SECONDS = 5;

    /** Held by whoever asks; the methods of {@link Progress} that only one thread may call are called under it. */
    final ReentrantLock turn = new ReentrantLock(true);

    private final PluginContext context;
    private final Progress progress;

    Positions(PluginContext context, Progress progress) {
        this.context = context;
        this.progress = progress;
    }

    /** Ends the epoch and asks the primary where it is; the caller has its {@link #turn}. */
    GtidPosition primary(Connection connection) throws SQLException {
        long ended = progress.endEpoch();
        GtidPosition position = GtidPosition.parse(one(connection, "SELECT @@global.gtid_binlog_pos"));
        progress.reached(ended, position);
        return position;
    }

    /** Asks a standby where it is. */
    static GtidPosition standby(Connection connection) throws SQLException {
        return GtidPosition.parse(one(connection, "SELECT @@global.gtid_slave_pos"));
    }

    /** Connections for several looks in a row. */
    Session open() throws SQLException {
        return new Session();
    }

    /** Looks without the cost of a connection for each. One thread. */
    final class Session implements HandoverProbes.Prober {
        private final List<Connection> connections = new ArrayList<>();

        private Session() throws SQLException {
            DataSource primary = context.primary().dataSource();
            if (primary == null || context.standbys().isEmpty()) {
                throw new SQLException("positions are not known without primary.monitor and standbys");
            }
            try {
                connections.add(primary.getConnection());
                for (Standby standby : context.standbys()) {
                    connections.add(standby.dataSource().getConnection());
                }
            } catch (SQLException e) {
                close();
                throw e;
            }
        }

        /**
         * One look. Nothing is waited for: what a standby has not applied yet, a later look finds applied, since Progress keeps the
         * primary's positions until then.
         */
        @Override
        public void look() throws SQLException {
            turn.lock();
            try {
                primary(connections.get(0));
                List<GtidPosition> standbys = new ArrayList<>();
                for (Connection standby : connections.subList(1, connections.size())) {
                    standbys.add(standby(standby));
                }
                progress.standbysAt(standbys);
            } finally {
                turn.unlock();
            }
        }

        @Override
        public void close() {
            for (Connection connection : connections) {
                try {
                    connection.close();
                } catch (SQLException e) {
                    // Back to its pool, which notices by itself that it is broken.
                }
            }
        }
    }

    static Statement statement(Connection connection) throws SQLException {
        Statement statement = connection.createStatement();
        statement.setQueryTimeout(TIMEOUT_SECONDS);
        return statement;
    }

    static @Nullable String one(Connection connection, String sql) throws SQLException {
        try (Statement statement = statement(connection);
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getString(1) : null;
        }
    }
}
