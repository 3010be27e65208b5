package io.understudy.readiness;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A connection whose queries together end before a deadline. Not thread-safe. */
final class ServerSession {
    private final Connection connection;
    private final long deadline;

    /** @param deadline by {@link System#nanoTime} */
    ServerSession(Connection connection, long deadline) {
        this.connection = connection;
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
        List<Map<String, String>> all = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            ResultSetMetaData columns = rows.getMetaData();
            while (rows.next()) {
                Map<String, String> row = new HashMap<>();
                for (int i = 1; i <= columns.getColumnCount(); i++) {
                    String value = rows.getString(i);
                    if (value != null) {
                        row.put(columns.getColumnLabel(i).toLowerCase(Locale.ROOT), value);
                    }
                }
                all.add(row);
            }
        }
        return all;
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
