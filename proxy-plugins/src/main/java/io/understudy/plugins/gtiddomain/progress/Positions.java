package io.understudy.plugins.gtiddomain.progress;

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
 * Queries the positions of primary and standbys for {@link Progress}. One thread holds {@link #turn} from the end of an
 * epoch until it has passed the positions to Progress, so that they arrive in the order in which they were queried.
 */
public final class Positions {
    private static final int TIMEOUT_SECONDS = 5;

    /** Held during a probe; guards the methods of {@link Progress} that only one thread may call. */
    public final ReentrantLock turn = new ReentrantLock(true);

    private final PluginContext context;
    private final Progress progress;

    public Positions(PluginContext context, Progress progress) {
        this.context = context;
        this.progress = progress;
    }

    /** Ends the epoch and queries the primary's position; the caller holds {@link #turn}. */
    public GtidPosition primary(Connection connection) throws SQLException {
        long ended = progress.endEpoch();
        GtidPosition position = GtidPosition.parse(one(connection, "SELECT @@global.gtid_binlog_pos"));
        progress.reached(ended, position);
        return position;
    }

    /** Queries a standby's position. */
    public static GtidPosition standby(Connection connection) throws SQLException {
        return GtidPosition.parse(one(connection, "SELECT @@global.gtid_slave_pos"));
    }

    /** Opens connections for several probes in a row. */
    public PositionProber open() throws SQLException {
        return new Session();
    }

    /** Probes without opening a connection for each. Used by one thread. */
    private final class Session implements PositionProber {
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

        @Override
        public void probe() throws SQLException {
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
                    // The pool notices a broken connection by itself.
                }
            }
        }
    }

    public static Statement statement(Connection connection) throws SQLException {
        Statement statement = connection.createStatement();
        statement.setQueryTimeout(TIMEOUT_SECONDS);
        return statement;
    }

    public static @Nullable String one(Connection connection, String sql) throws SQLException {
        try (Statement statement = statement(connection);
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getString(1) : null;
        }
    }
}
