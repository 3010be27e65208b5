package io.understudy.switchover;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** One of the two servers, with one connection that is opened again after it broke. Used by one thread. */
final class Node implements AutoCloseable {
    /** A connection's response takes at most this long in addition to what the statement may wait. */
    private static final Duration RESPONSE = Duration.ofSeconds(3);

    private final String name;
    private final DataSource source;
    private @Nullable Connection connection;

    /** @param name of the server in what is printed */
    Node(String name, DataSource source) {
        this.name = name;
        this.source = source;
    }

    String name() {
        return name;
    }

    /** Executes a statement that returns no rows. */
    void execute(String sql) throws SQLException {
        execute(sql, Duration.ZERO);
    }

    /** @param waits how long the statement itself may take */
    void execute(String sql, Duration waits) throws SQLException {
        on(sql, RESPONSE.plus(waits), statement -> statement.execute(sql));
    }

    /** Returns the first column of the first row; empty if there is none or it is NULL. */
    String value(String sql) throws SQLException {
        return value(sql, Duration.ZERO);
    }

    String value(String sql, Duration waits) throws SQLException {
        return valueWithin(sql, RESPONSE.plus(waits));
    }

    /** @param longest for the response, however long the statement may wait */
    String valueWithin(String sql, Duration longest) throws SQLException {
        return on(sql, longest, statement -> {
            try (ResultSet rows = statement.executeQuery(sql)) {
                String value = rows.next() ? rows.getString(1) : null;
                return value == null ? "" : value;
            }
        });
    }

    /** Returns all rows by the lower-case names of their columns; NULL is empty. */
    List<Map<String, String>> rows(String sql) throws SQLException {
        return on(sql, RESPONSE, statement -> {
            List<Map<String, String>> all = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery(sql)) {
                ResultSetMetaData columns = rows.getMetaData();
                while (rows.next()) {
                    Map<String, String> row = new HashMap<>();
                    for (int i = 1; i <= columns.getColumnCount(); i++) {
                        String value = rows.getString(i);
                        row.put(columns.getColumnLabel(i).toLowerCase(Locale.ROOT), value == null ? "" : value);
                    }
                    all.add(row);
                }
            }
            return all;
        });
    }

    private interface Work<T> {
        T with(Statement statement) throws SQLException;
    }

    private <T> T on(String sql, Duration longest, Work<T> work) throws SQLException {
        try {
            Connection open = connection;
            if (open == null) {
                open = source.getConnection();
                connection = open;
            }
            open.setNetworkTimeout(Runnable::run, (int) longest.toMillis());
            try (Statement statement = open.createStatement()) {
                return work.with(statement);
            }
        } catch (SQLException e) {
            if (e.getErrorCode() == 0 || String.valueOf(e.getSQLState()).startsWith("08")) {
                close();
            }
            throw new SQLException(name + ": " + sql + ": " + e.getMessage(), e.getSQLState(), e.getErrorCode(), e);
        }
    }

    @Override
    public void close() {
        Connection open = connection;
        connection = null;
        if (open != null) {
            try {
                open.close();
            } catch (SQLException e) {
                // It is broken already.
                return;
            }
        }
    }
}
