package io.understudy.plugin;

import org.jspecify.annotations.Nullable;

/**
 * Settings of a session that change what a statement means, as far as they could be followed from the login packet, SET
 * statements and session tracking. Null means: not set in this session, so the server's default holds.
 */
public interface SessionSettings {
    /** False while a value is not known, after a SET that could not be understood: then none of the values can be relied upon. */
    boolean known();

    /** Collation id of the login packet, 1 to 65535. */
    int loginCollation();

    /** Last {@code SET NAMES} and the like as an assignment list ready for SET, or null. */
    @Nullable
    String characterSet();

    @Nullable
    String timeZone();

    /**
     * Values of the other variables that change how much a read reads or what it returns, as an assignment list ready for SET; null
     * when all have the server's. See {@link io.understudy.sql.ReadVariables}.
     */
    default @Nullable String reading() {
        return null;
    }

    /** Null while it is the server's own and nobody knows that one for sure. */
    @Nullable
    String sqlMode();

    /** Bits of {@code io.understudy.sql.SqlModes} for the analysis of this session's statements. */
    int sqlModes();

    /** True when a temporary table may exist in the session. */
    boolean temporaryTables();

    /** True while LOCK TABLES is in force. */
    boolean lockedTables();
}
