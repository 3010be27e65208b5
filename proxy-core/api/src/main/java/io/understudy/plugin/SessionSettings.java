package io.understudy.plugin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a session that affect the meaning of a statement, as known from the login packet, SET statements and
 * session tracking. Null means: not set in this session, so the server's default applies.
 */
public interface SessionSettings {
    /**
     * Returns false while a value is not known, after a SET that the proxy could not parse: then none of the values is
     * reliable.
     */
    boolean known();

    /** Returns the collation id of the login packet, 1 to 65535. */
    int loginCollation();

    /** Returns the last {@code SET NAMES} and the like as an assignment list for SET, or null. */
    @Nullable
    String characterSet();

    /** Returns the session's time zone as a value for {@code SET time_zone}, or null. */
    @Nullable
    String timeZone();

    /**
     * Returns the other variables that affect how much a read reads or what it returns, as an assignment list for SET,
     * or null when all have the server's values. See {@link io.understudy.sql.ReadVariables}.
     */
    default @Nullable String reading() {
        return null;
    }

    /** Returns whether autocommit is on, by the status in the server's last response. */
    default boolean autocommit() {
        return true;
    }

    /**
     * Returns what the session has set for its transactions, to follow {@code SET SESSION TRANSACTION}, such as
     * {@code ISOLATION LEVEL READ COMMITTED, READ ONLY}; or null when both have the server's values.
     */
    default @Nullable String transaction() {
        return null;
    }

    /**
     * Returns the variables that change what a write does, as an assignment list for SET, or null when all have the
     * server's values. See {@link io.understudy.sql.WriteVariables}.
     */
    default @Nullable String writing() {
        return null;
    }

    /** Returns the names of the variables that {@link #transaction} and {@link #writing} do not know. Allocates. */
    default List<String> unknownForWrites() {
        return List.of();
    }

    /** Returns the SQL mode, or null while it is the server's default and that is not known for certain. */
    @Nullable
    String sqlMode();

    /** Returns the bits of {@code io.understudy.sql.SqlModes} with which this session's statements are analysed. */
    int sqlModes();

    /** Returns whether a temporary table may exist in the session. */
    boolean temporaryTables();

    /** Returns whether LOCK TABLES is in force. */
    boolean lockedTables();
}
