package io.understudy.plugins.gtiddomain.progress;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Queries the positions of primary and standbys for {@link Progress}. One thread holds {@link #turn} from the end of an
 * epoch until it has passed the positions to Progress, so that they arrive in the order in which they were queried.
 */
public final class Positions {
    private static final int TIMEOUT_SECONDS = 5;

    /** Held during a probe; guards the methods of {@link Progress} that only one thread may call. */
    public final ReentrantLock turn = new ReentrantLock(true);

    private final Progress progress;

    public Positions(Progress progress) {
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
