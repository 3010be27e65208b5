package io.understudy.it;

import io.understudy.embedded.DelayedLink;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A primary and a semi-synchronous replica behind a delayed link, of either product. Accounts have
 * {@link CommitProxy#PASSWORD}.
 */
interface SemiSyncPair extends AutoCloseable {
    InetSocketAddress address();

    /** To the primary, with all privileges. */
    Connection connect() throws SQLException;

    DelayedLink link();

    /** {@code AFTER_SYNC} or {@code AFTER_COMMIT}. */
    void waitPoint(String value) throws SQLException;

    /** What a client is told after a commit: a query that gives its GTID, or on MySQL the number of its own. */
    boolean mariadb();

    /** Prefix of the status variables: {@code Rpl_semi_sync_master} or {@code Rpl_semi_sync_source}. */
    String counters();

    /** A number of the primary's status. */
    static long status(Statement statement, String name) throws SQLException {
        return Long.parseLong(CommitHarness.ask(statement, "SHOW GLOBAL STATUS LIKE '" + name + "'"));
    }

    @Override
    void close();
}
