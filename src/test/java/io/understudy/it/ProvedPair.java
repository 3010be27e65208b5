package io.understudy.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A primary and a standby of either product, for the proof of outcomes: with schema {@code shop} and the accounts app,
 * monitor and switcher, all with {@link CommitProxy#PASSWORD}.
 */
interface ProvedPair extends AutoCloseable {
    /**
     * The embedded servers; with {@code -Dunderstudy.it.mariadb=/usr} an installed MariaDB, with
     * {@code -Dunderstudy.it.mysql=DIR} as {@link MySqlSemiSyncPair}. {@code -Dunderstudy.it.arguments=…} has further
     * arguments of the servers, separated by blanks.
     */
    static ProvedPair start() throws Exception {
        String arguments = System.getProperty("understudy.it.arguments", "").strip();
        String[] more = arguments.isEmpty() ? new String[0] : arguments.split("\\s+");
        return InstalledPair.isChosen() ? new InstalledPair(more) : new EmbeddedProvedPair(more);
    }

    boolean mariadb();

    int primary();

    int standby();

    /** Connects with all privileges. */
    Connection connect(int port) throws SQLException;

    /** Kills the primary with SIGKILL. */
    void kill() throws Exception;

    /** Starts the primary again, at the same port. */
    void restart() throws Exception;

    default void execute(int port, String... statements) throws SQLException {
        try (Connection connection = connect(port);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Has the standby receive nothing more. */
    default void cutOff() throws SQLException {
        execute(standby(), mariadb() ? "STOP SLAVE IO_THREAD" : "STOP REPLICA IO_THREAD");
    }

    @Override
    void close();
}
