package io.understudy.demo;

import io.understudy.demo.LoadCounters.Kind;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One session of the load: runs a script over a connection, reads all rows, counts, and connects again when the
 * connection breaks.
 */
final class LoadSession {
    private static final long RECONNECT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final String url;
    private final Properties properties = new Properties();
    private final Script script;
    private final LoadCounters counters;
    private final long pauseNanos;
    private final long limit;
    private long executed;
    private volatile @Nullable Connection connection;

    /** The work of one session, repeated. */
    interface Script {
        /** One piece of work: a statement, or a whole transaction. */
        void step(LoadSession session) throws SQLException;
    }

    /**
     * @param prepared whether {@link #prepared} uses server-side prepared statements or sends text
     * @param pause between two steps
     * @param limit of statements, after which the session ends (with the step that reaches it)
     */
    LoadSession(
            String url,
            String user,
            String password,
            boolean prepared,
            Script script,
            LoadCounters counters,
            Duration pause,
            long limit) {
        this.url = url;
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        properties.setProperty("useServerPrepStmts", Boolean.toString(prepared));
        this.script = script;
        this.counters = counters;
        pauseNanos = pause.toNanos();
        this.limit = limit;
    }

    /** Runs the script until the load ends or the limit is reached. */
    void run(Sessions load) {
        while (goesOn(load)) {
            try (Connection opened = DriverManager.getConnection(url, properties)) {
                connection = opened;
                steps(load, opened);
            } catch (SQLException e) {
                if (!load.ended()) {
                    counters.connectFailed(String.valueOf(e.getMessage()));
                    LockSupport.parkNanos(RECONNECT_NANOS);
                }
            }
        }
    }

    private boolean goesOn(Sessions load) {
        return !load.ended() && executed < limit;
    }

    /** Returns when the session must end, throws when the connection is no longer usable. */
    private void steps(Sessions load, Connection opened) throws SQLException {
        while (goesOn(load)) {
            try {
                script.step(this);
            } catch (SQLException e) {
                // The error is counted already. A usable connection continues after leaving its transaction.
                if (!opened.isValid(5)) {
                    throw e;
                }
                text(Kind.TRANSACTION, "ROLLBACK");
            }
            LockSupport.parkNanos(pauseNanos);
        }
    }

    private Connection connection() {
        return Objects.requireNonNull(connection, "a script runs over a connection");
    }

    /** Executes a text statement. */
    void text(Kind kind, String sql) throws SQLException {
        run(kind, () -> {
            try (Statement statement = connection().createStatement()) {
                drain(statement, statement.execute(sql));
            }
        });
    }

    /** Executes a statement with parameters. */
    void prepared(Kind kind, String sql, Object... parameters) throws SQLException {
        run(kind, () -> {
            try (PreparedStatement statement = connection().prepareStatement(sql)) {
                for (int i = 0; i < parameters.length; i++) {
                    statement.setObject(i + 1, parameters[i]);
                }
                drain(statement, statement.execute());
            }
        });
    }

    private interface Execution {
        void run() throws SQLException;
    }

    private void run(Kind kind, Execution execution) throws SQLException {
        try {
            execution.run();
        } catch (SQLException e) {
            counters.failed(kind, String.valueOf(e.getMessage()));
            throw e;
        } finally {
            executed++;
            counters.executed(kind);
        }
    }

    private static void drain(Statement statement, boolean hasRows) throws SQLException {
        if (hasRows) {
            try (ResultSet rows = statement.getResultSet()) {
                int columns = rows.getMetaData().getColumnCount();
                while (rows.next()) {
                    rows.getString(columns);
                }
            }
        }
    }

    /** Closes the connection under a session that hangs; called by other threads. */
    void abort() {
        try {
            Connection current = connection;
            if (current != null) {
                current.abort(Runnable::run);
            }
        } catch (SQLException gone) {
            // It is closed already.
        }
    }
}
