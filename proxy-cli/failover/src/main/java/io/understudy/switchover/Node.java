package io.understudy.switchover;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * One of the two servers, with one connection that is opened again after it broke. Used by one thread.
 *
 * <p>A server that was frozen may respond to a new connection before it executes what a former one has sent. A step
 * that undoes a statement, or reads its effect, first has to end the former connections: see {@link #endFormer}.
 */
final class Node implements AutoCloseable {
    private static final String CONNECTION = "SELECT CONNECTION_ID()";

    /** A connection's response takes at most this long in addition to what the statement may wait. */
    private static final Duration RESPONSE = Duration.ofSeconds(3);

    private final String name;
    private final DataSource source;
    private @Nullable Connection connection;
    /** {@link #connection} as the server knows it; null until that is known. */
    private @Nullable Known known;
    /** Connections that broke, and that the server may still have. */
    private final Set<Known> former = new LinkedHashSet<>();

    /**
     * A connection as the server knows it. After a restart its number may be another one's, but not with the same
     * client's port.
     */
    private record Known(String number, String user, String host) {
        static Known of(Map<String, String> row) {
            return new Known(row.getOrDefault("id", ""), row.getOrDefault("user", ""), row.getOrDefault("host", ""));
        }
    }

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
        executeWithin(sql, RESPONSE);
    }

    /** @param longest for the response, however long the statement may wait */
    void executeWithin(String sql, Duration longest) throws SQLException {
        on(sql, longest, statement -> statement.execute(sql));
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

    /** Returns the number of the present connection, which {@link #endFormer} ends if it breaks. */
    String traced() throws SQLException {
        Known present = known;
        if (present == null) {
            String number = value(CONNECTION);
            present = processes().stream()
                    .filter(each -> each.number().equals(number))
                    .findFirst()
                    .orElse(new Known(number, "", ""));
            known = present;
        }
        return present.number();
    }

    private List<Known> processes() throws SQLException {
        return rows("SHOW PROCESSLIST").stream().map(Known::of).toList();
    }

    /**
     * Kills the connections that broke after {@link #traced}, and returns the number of one that the server still has;
     * empty if there is none: then the server has executed their statements, or will not.
     */
    String endFormer() throws SQLException {
        if (former.isEmpty()) {
            return "";
        }
        former.retainAll(new HashSet<>(processes()));
        for (Known each : former) {
            execute("KILL " + each.number());
        }
        return former.isEmpty() ? "" : former.iterator().next().number();
    }

    /** As {@link #endFormer}, but fails while the server has such a connection; the message says how to end it. */
    void ensureFormerEnded() throws SQLException {
        String left = endFormer();
        if (!left.isEmpty()) {
            throw new SQLException(name + " still has the connection of a statement that it did not respond to: KILL "
                    + left + ", until SHOW PROCESSLIST has that connection no more");
        }
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
                known = null;
            }
            // The driver reads 0 as no limit.
            open.setNetworkTimeout(Runnable::run, (int) Math.max(1, longest.toMillis()));
            try (Statement statement = open.createStatement()) {
                return work.with(statement);
            }
        } catch (SQLException e) {
            if (e.getErrorCode() == 0 || String.valueOf(e.getSQLState()).startsWith("08")) {
                if (known != null) {
                    former.add(known);
                }
                close();
            }
            throw new SQLException(name + ": " + sql + ": " + e.getMessage(), e.getSQLState(), e.getErrorCode(), e);
        }
    }

    @Override
    public void close() {
        Connection open = connection;
        connection = null;
        known = null;
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
