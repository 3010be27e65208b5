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

    /** @param prepared whether {@link #prepared} uses server-side prepared statements or sends text */
    static LoadSession open(String url, String user, String password, boolean prepared, LoadCounters counters)
            throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        properties.setProperty("useServerPrepStmts", Boolean.toString(prepared));
        return new LoadSession(DriverManager.getConnection(url, properties), counters);
    }

    /** Executes a text statement. */
    void text(Kind kind, String sql) throws SQLException {
        run(kind, () -> {
            try (Statement statement = connection.createStatement()) {
                drain(statement, statement.execute(sql));
            }
        });
    }

    /** Executes a statement with parameters. */
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
        try {
            step.run();
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

    /** Returns the number of statements of this session so far. */
    long executed() {
        return executed;
    }

    /** Returns whether the connection is still usable after an error. */
    boolean isUsable() throws SQLException {
        return connection.isValid(5);
    }

    /** Closes the connection under a worker that hangs; called by other threads. */
    void abort() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException gone) {
            // It is closed already.
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
