package io.understudy.demo;

import io.understudy.demo.LoadCounters.Kind;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/** One connection of the load: executes, reads all rows, counts. Belongs to one worker. */
final class LoadSession implements AutoCloseable {

    private final Connection connection;
    private final LoadCounters counters;
    private long executed;

    private LoadSession(Connection connection, LoadCounters counters) {
        this.connection = connection;
        this.counters = counters;
    }

    /** @param prepared whether {@link #prepared} uses statements prepared on the server, or sends text all the same */
    static LoadSession open(String url, String user, String password, boolean prepared, LoadCounters counters)
            throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        properties.setProperty("useServerPrepStmts", Boolean.toString(prepared));
        return new LoadSession(DriverManager.getConnection(url, properties), counters);
    }

    /** A statement as text. */
    void text(Kind kind, String sql) throws SQLException {
        run(kind, () -> {
            try (Statement statement = connection.createStatement()) {
                drain(statement, statement.execute(sql));
            }
        });
    }

    /** A statement with parameters. */
    void prepared(Kind kind, String sql, Object... parameters) throws SQLException {
        run(kind, () -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int i = 0; i < parameters.length; i++) {
                    statement.setObject(i + 1, parameters[i]);
                }
                drain(statement, statement.execute());
            }
        });
    }

    private interface Step {
        void run() throws SQLException;
    }

    private void run(Kind kind, Step step) throws SQLException {
        long start = System.nanoTime();
        try {
            step.run();
        } catch (SQLException e) {
            counters.failed(kind, String.valueOf(e.getMessage()));
            throw e;
        } finally {
            executed++;
            counters.executed(kind, System.nanoTime() - start);
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

    /** Statements of this session so far. */
    long executed() {
        return executed;
    }

    /** Whether the connection still serves, after an error. */
    boolean isUsable() throws SQLException {
        return connection.isValid(5);
    }

    /** Ends the connection under a worker that hangs in it; for other threads. */
    void abort() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException gone) {
            // It had ended by itself, which is what was wanted.
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
