package io.understudy.plugin;

import io.understudy.sql.AccountGrants;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A server that {@code understudy check --connect} shows to the plugins, and where they report what they find: the
 * primary, over a connection of {@code primary.monitor}, then each standby, over one of its own account. One thread;
 * valid until {@link ProxyPlugin#check} returns. Queries wait for the server.
 */
public interface CheckedServer {
    /** The severity of a finding; {@link #ERROR} makes the command fail. */
    enum Level {
        OK,
        WARNING,
        ERROR
    }

    /** Returns whether it is the primary, otherwise a standby. */
    boolean isPrimary();

    /** Returns what was read of the primary; of a primary that gave no response, {@link CheckedPrimary#UNKNOWN}. */
    CheckedPrimary primary();

    /** Returns whether the configuration has a standby beside the primary. */
    boolean hasStandbys();

    /** Returns whether it is a MariaDB server. */
    boolean isMariaDb() throws SQLException;

    /** Returns the server's {@code VERSION()}. */
    String version() throws SQLException;

    /** Returns the connection, which the caller leaves open. */
    Connection connection();

    /** Returns the name of the account in the configuration. */
    String user();

    /** Returns the account that the server has logged in, as GRANT wants it. */
    String account() throws SQLException;

    /** Returns the privileges of the account. */
    AccountGrants grants() throws SQLException;

    /** Returns the first column of the first row, or null without a row. */
    @Nullable
    String one(String sql) throws SQLException;

    /** Returns a column of every row. */
    List<String> all(String sql, int column) throws SQLException;

    /** Returns a system variable, or null if the server does not have it. */
    @Nullable
    String variable(String name) throws SQLException;

    /**
     * Reports a finding.
     *
     * @param key of the plugin's section, or empty
     * @param text the fact, and the remedy if it needs one
     */
    void report(Level level, String key, String text);

    default void ok(String text) {
        report(Level.OK, "", text);
    }

    default void warning(String text) {
        report(Level.WARNING, "", text);
    }

    /**
     * Reports whether the account may read the binary log of this server, the primary.
     *
     * @param level of it if not
     * @param without what the plugin does without it
     */
    void needsBinaryLog(Level level, String without) throws SQLException;

    /**
     * Reports the accounts for which nothing is injected on this server, the primary, because the server would count it
     * against their MAX_QUERIES_PER_HOUR.
     *
     * @param without what the plugin does without injected statements
     */
    void needsInjection(String without) throws SQLException;
}
