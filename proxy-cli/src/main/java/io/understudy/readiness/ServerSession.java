package io.understudy.readiness;

import io.understudy.pages.ServerQueries;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Queries over one connection that together end before a deadline. Not thread-safe. */
final class ServerSession {
    private final Connection connection;
    private final ServerQueries queries;
    private final long deadline;

    /** @param deadline by {@link System#nanoTime} */
    ServerSession(Connection connection, long deadline) {
        this.connection = connection;
        this.queries = new ServerQueries(connection);
        this.deadline = deadline;
    }

    /** Returns whether the time is up. A driver's timeout is in whole milliseconds. */
    boolean isOver() {
        return TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()) <= 1;
    }

    /**
     * Returns the rows by the lower-case names of their columns; null values are left out.
     *
     * @throws SQLException also when the time is up
     */
    List<Map<String, String>> rows(String sql) throws SQLException {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0) {
            throw new SQLTimeoutException("no response in time");
        }
        connection.setNetworkTimeout(Runnable::run, (int) left);
        return queries.named(sql);
    }

    /** Returns a two-column result, such as that of SHOW VARIABLES, by lower-case names. */
    Map<String, String> pairs(String sql) throws SQLException {
        Map<String, String> all = new HashMap<>();
        for (Map<String, String> row : rows(sql)) {
            all.put(row.getOrDefault("variable_name", "").toLowerCase(Locale.ROOT), row.getOrDefault("value", ""));
        }
        return all;
    }
}
