package io.understudy.readiness;

import io.understudy.pages.ServerQueries;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Queries over one connection that together end before a deadline. Not thread-safe. */
final class ServerSession {
    private static final long GRACE_MILLIS = 3_000;

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
     * Makes the results independent of the server's settings, and has the server end what is still running after the
     * deadline.
     */
    void prepare() throws SQLException {
        long millis = Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())) + GRACE_MILLIS;
        boolean mariaDb = rows("SELECT VERSION() AS v")
                .get(0)
                .getOrDefault("v", "")
                .toLowerCase(Locale.ROOT)
                .contains("mariadb");
        execute("SET SESSION sql_mode = '', group_concat_max_len = 1048576, "
                + (mariaDb ? "max_statement_time = " + millis / 1e3 : "max_execution_time = " + millis));
    }

    /** Returns the privileges that the account itself has on everything. */
    Set<String> privileges() throws SQLException {
        // An account with SELECT on the grant tables sees the privileges of all accounts there.
        Set<String> all = new HashSet<>();
        for (Map<String, String> row : rows("SELECT PRIVILEGE_TYPE AS p FROM information_schema.USER_PRIVILEGES"
                + " WHERE GRANTEE = CONCAT('''', REPLACE(CURRENT_USER(), '@', '''@'''), '''')")) {
            all.add(row.getOrDefault("p", ""));
        }
        return all;
    }

    /**
     * Returns the rows by the lower-case names of their columns; null values are left out.
     *
     * @throws SQLException also when the time is up
     */
    List<Map<String, String>> rows(String sql) throws SQLException {
        limit();
        return queries.named(sql);
    }

    private void execute(String sql) throws SQLException {
        limit();
        queries.execute(sql);
    }

    private void limit() throws SQLException {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0) {
            throw new SQLTimeoutException("no response in time");
        }
        connection.setNetworkTimeout(Runnable::run, (int) left);
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
