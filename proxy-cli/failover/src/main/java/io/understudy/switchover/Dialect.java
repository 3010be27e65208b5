package io.understudy.switchover;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The statements of one product. Stateless. */
interface Dialect {
    /** Returns the dialect of a server. */
    static Dialect of(Node node) throws SQLException {
        return node.value("SELECT VERSION()").toLowerCase(java.util.Locale.ROOT).contains("mariadb")
                ? new MariaDb()
                : new MySql();
    }

    String product();

    /** Returns the statement that makes a server read-only. */
    String readOnly();

    /** Returns a query for the variable that {@link #readOnly} sets. */
    String isReadOnly();

    /** Returns the statement that makes a server writable. */
    String writable();

    /** Returns a query for the position of the last transaction in a primary's binary log. */
    String position();

    /** Returns a query that waits until a position is applied; its result is 0 if it is. */
    String applied(String position, Duration longest);

    /** Returns the standby's replication connections. */
    List<Replication> replications(Node standby) throws SQLException;

    /** Returns why the server cannot be switched by GTID; empty if it can. */
    String obstacle(Node node) throws SQLException;

    /** Returns a statement that lists the account's grants, with those of its active roles. */
    String grants(Node node) throws SQLException;

    /** Returns the privileges that a switchover needs on a server and the account lacks. */
    List<String> missing(Privileges privileges, Node node) throws SQLException;

    String stop(Replication replication);

    String start(Replication replication);

    /** Returns the statement that removes the connection. */
    String forget(Replication replication);

    /** Returns the statements that make the old primary a standby of the new one. */
    List<String> follow(String host, int port, Replication before, String position);

    /** Returns the statements that point another standby of the old primary to the new one. */
    List<String> repoint(String host, int port, Replication like);

    static boolean on(Map<String, String> row, String column) {
        return "Yes".equalsIgnoreCase(row.getOrDefault(column, ""));
    }

    /** Returns the first error of a row; empty if there is none. */
    static String error(Map<String, String> row) {
        String received = row.getOrDefault("last_io_error", "");
        return received.isEmpty() ? row.getOrDefault("last_sql_error", "") : received;
    }

    static String seconds(Duration time) {
        // MySQL reads 0 as no limit.
        return String.format(java.util.Locale.ROOT, "%.3f", Math.max(1, time.toMillis()) / 1000.0);
    }
}
