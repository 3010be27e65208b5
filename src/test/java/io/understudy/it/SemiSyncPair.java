package io.understudy.it;

import io.understudy.embedded.DelayedLink;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A primary and a semi-synchronous replica of either product behind a delayed link. Accounts have
 * {@link CommitProxy#PASSWORD}.
 */
interface SemiSyncPair extends AutoCloseable {
    InetSocketAddress address();

    /** Connects to the primary with all privileges. */
    Connection connect() throws SQLException;

    DelayedLink link();

    /** Sets the wait point: {@code AFTER_SYNC} or {@code AFTER_COMMIT}. */
    void waitPoint(String value) throws SQLException;

    /**
     * Returns whether the servers are MariaDB, where a query returns the GTID of the last commit; on MySQL it returns
     * the number.
     */
    boolean mariadb();

    /** Returns the prefix of the status variables: {@code Rpl_semi_sync_master} or {@code Rpl_semi_sync_source}. */
    String counters();

    /** Returns a numeric status variable of the primary. */
    static long status(Statement statement, String name) throws SQLException {
        return Long.parseLong(CommitHarness.query(statement, "SHOW GLOBAL STATUS LIKE '" + name + "'"));
    }

    @Override
    void close();
}
