package io.understudy.servers;

import io.understudy.plugin.ServerFlavor;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** The statements of one product for roles and replication. Stateless. */
public sealed interface Dialect permits MariaDb, MySql {
    /**
     * The statements after which a session cannot write, whatever a statement turns out to be, and waits for no lock.
     * {@code START TRANSACTION READ ONLY} would let DDL through, by its implicit commit.
     */
    List<String> READ_ONLY_SESSION = List.of(
            "SET SESSION TRANSACTION READ ONLY",
            "SET SESSION autocommit = 1, SESSION lock_wait_timeout = 1, SESSION innodb_lock_wait_timeout = 1");

    static Dialect of(ServerFlavor flavor) {
        return flavor == ServerFlavor.MARIADB ? new MariaDb() : new MySql();
    }

    ServerFlavor flavor();

    /** Returns the product's name, for people. */
    String product();

    /** Returns the statement that makes a server read-only. */
    String readOnly();

    /** Returns a query for the variable that {@link #readOnly} sets. */
    String isReadOnly();

    /** Returns the statement that makes a server writable. */
    String writable();

    /** Returns a query for the position of the last transaction in a primary's binary log. */
    String position();

    /** Returns a query that waits until a position is applied; its result is 0 if it is. At least a millisecond. */
    String applied(String position, Duration longest);

    /**
     * Returns the assignment, for SET SESSION, by which the server ends the session's later statements after a time;
     * MySQL ends SELECT statements alone. At least a millisecond.
     */
    String limit(Duration longest);

    /** Returns why the server cannot be switched by GTID; empty if it can. */
    String obstacle(ServerQueries server) throws SQLException;

    String stop(ReplicaStatus replication);

    String start(ReplicaStatus replication);

    /** Returns the statement that removes the connection. */
    String forget(ReplicaStatus replication);

    /** Returns the statements that make the old primary a standby of the new one. */
    List<String> follow(String host, int port, ReplicaStatus before, String position);

    /** Returns the statements that point another standby of the old primary to the new one. */
    List<String> repoint(String host, int port, ReplicaStatus like);

    /** Returns a time of a wait in seconds, as both products take it. */
    static String seconds(Duration time) {
        // MySQL reads 0 as no limit.
        return String.format(Locale.ROOT, "%.3f", Math.max(1, time.toMillis()) / 1000.0);
    }
}
