package io.understudy.readiness;

import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Queries over one connection that together end before a deadline. Not thread-safe. */
final class ServerSession {
    private static final long GRACE_MILLIS = 3_000;

    private final ServerQueries queries;
    private final long deadline;

    /** @param deadline by {@link System#nanoTime} */
    ServerSession(Connection connection, long deadline) {
        this.queries = new ServerQueries(connection);
        this.deadline = deadline;
    }

    private long leftMillis() {
        return TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    }

    /** Returns whether the time is up. A driver's timeout is in whole milliseconds. */
    boolean isOver() {
        return leftMillis() <= 1;
    }

    /**
     * Returns the queries, for the next statement.
     *
     * @throws SQLException when the time is up
     */
    ServerQueries queries() throws SQLException {
        long left = leftMillis();
        if (left <= 0) {
            throw new SQLTimeoutException("no response in time");
        }
        return queries.within(Duration.ofMillis(left));
    }

    /**
     * Makes the results independent of the server's settings, and has the server end what is still running after the
     * deadline.
     */
    void prepare() throws SQLException {
        long millis = Math.max(0, leftMillis()) + GRACE_MILLIS;
        boolean mariaDb = queries().isMariaDb();
        queries()
                .execute("SET SESSION sql_mode = '', group_concat_max_len = 1048576, "
                        + (mariaDb ? "max_statement_time = " + millis / 1e3 : "max_execution_time = " + millis));
    }

    /**
     * Returns the rows by the lower-case names of their columns; null values are left out.
     *
     * @throws SQLException also when the time is up
     */
    List<Map<String, String>> rows(String sql) throws SQLException {
        return queries().named(sql);
    }
}
