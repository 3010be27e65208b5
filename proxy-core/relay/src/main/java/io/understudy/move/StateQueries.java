package io.understudy.move;

import io.understudy.plugin.ServerFlavor;

/**
 * The questions to the old server. They mean the same under every {@code sql_mode}, character set and limit that the
 * session may have set: values as bytes of UTF-8, an explicit LIMIT against {@code sql_select_limit}, and none that
 * {@code max_join_size} forbids.
 */
final class StateQueries {
    /** Last of all: releases the user locks, of which the session must have none to move. */
    static final String LOCKS = select("RELEASE_ALL_LOCKS()");

    static final String TIME = select("@@session.timestamp");

    /** Lifts the limits that a SHOW observes. */
    static final String NO_LIMITS = "SET SESSION sql_select_limit = 18446744073709551615, SESSION sql_big_selects = 1";

    /** See {@link Basics}. */
    static final String BASICS = select(
            "DATABASE()",
            "CURRENT_USER()",
            "CURRENT_ROLE()",
            "LAST_INSERT_ID()",
            "@@session.insert_id",
            "@@session.character_set_client",
            "@@session.character_set_results",
            "@@session.collation_connection",
            "@@session.autocommit",
            "@@session.max_join_size",
            "@@session.sql_big_selects");

    /**
     * Carried even where they are the old server's global ones: the new server's may be others, and an interactive
     * client begins with another {@code wait_timeout}.
     */
    private static final String ALWAYS = "'sql_mode', 'time_zone', 'tx_isolation', 'transaction_isolation',"
            + " 'tx_read_only', 'transaction_read_only', 'sql_auto_is_null', 'wait_timeout'";

    private static final String MARIADB_ANY_JOIN = "SET STATEMENT sql_big_selects = 1 FOR SELECT ";
    private static final String MYSQL_ANY_JOIN = "SELECT /*+ SET_VAR(sql_big_selects=1) */ ";
    private static final String NO_LIMIT = " LIMIT 100000";

    private StateQueries() {}

    private static String select(String... values) {
        StringBuilder sql = new StringBuilder("SELECT ");
        for (String value : values) {
            sql.append(sql.length() == "SELECT ".length() ? "" : ", ").append(bytes(value));
        }
        return sql.append(" LIMIT 1").toString();
    }

    private static String bytes(String value) {
        return "CAST(CONVERT(" + value + " USING utf8mb4) AS BINARY)";
    }

    /**
     * Returns the question for the session variables that may differ from a new session's: name, value, type (null
     * where the server does not tell).
     */
    static String variables(ServerFlavor flavor) {
        return flavor == ServerFlavor.MARIADB
                ? MARIADB_ANY_JOIN + bytes("LOWER(VARIABLE_NAME)") + ", " + bytes("SESSION_VALUE") + ", "
                        + bytes("VARIABLE_TYPE") + " FROM information_schema.SYSTEM_VARIABLES"
                        + " WHERE VARIABLE_SCOPE <> 'GLOBAL' AND READ_ONLY = 'NO' AND (NOT (SESSION_VALUE <=>"
                        + " IF(VARIABLE_SCOPE = 'SESSION ONLY', DEFAULT_VALUE, GLOBAL_VALUE))"
                        + " OR VARIABLE_NAME IN (" + ALWAYS + "))" + NO_LIMIT
                : MYSQL_ANY_JOIN + bytes("v.VARIABLE_NAME") + ", " + bytes("v.VARIABLE_VALUE") + ", NULL"
                        + " FROM performance_schema.session_variables v"
                        + " LEFT JOIN performance_schema.global_variables g ON g.VARIABLE_NAME = v.VARIABLE_NAME"
                        + " WHERE NOT (v.VARIABLE_VALUE <=> g.VARIABLE_VALUE)"
                        + " OR v.VARIABLE_NAME IN (" + ALWAYS + ")" + NO_LIMIT;
    }

    /** Returns the question for the names of the user variables. */
    static String userVariables(ServerFlavor flavor) {
        return flavor == ServerFlavor.MARIADB
                ? MARIADB_ANY_JOIN + bytes("VARIABLE_NAME") + " FROM information_schema.USER_VARIABLES" + NO_LIMIT
                : MYSQL_ANY_JOIN + bytes("VARIABLE_NAME") + " FROM performance_schema.user_variables_by_thread"
                        + " WHERE THREAD_ID = PS_CURRENT_THREAD_ID()" + NO_LIMIT;
    }

    /** Returns the question for a user variable: itself, for its type, its bytes, collation and character set. */
    static String userVariable(String quoted) {
        return "SELECT @" + quoted + ", CAST(@" + quoted + " AS BINARY), " + bytes("@" + quoted) + ", "
                + bytes("CHARSET(@" + quoted + ")") + ", " + bytes("COLLATION(@" + quoted + ")") + " LIMIT 1";
    }

    /**
     * Returns the question for the session's counters of statements: name and value. MySQL has them in no table, and
     * SHOW observes the session's limits, see {@link #NO_LIMITS}.
     */
    static String counters(ServerFlavor flavor) {
        String some = " WHERE Variable_name IN ('Com_ha_open', 'Com_lock_tables', 'Com_flush',"
                + " 'Com_backup', 'Com_backup_lock', 'Com_lock_instance', 'Com_xa_start', 'Com_xa_commit',"
                + " 'Com_xa_rollback', 'Com_prepare_sql', 'Com_dealloc_sql', 'Com_call_procedure', 'Com_binlog',"
                + " 'Com_create_table', 'Com_create_temporary_table')";
        return flavor == ServerFlavor.MARIADB
                ? MARIADB_ANY_JOIN + bytes("VARIABLE_NAME") + ", " + bytes("VARIABLE_VALUE")
                        + " FROM information_schema.SESSION_STATUS" + some + NO_LIMIT
                : "SHOW SESSION STATUS" + some;
    }
}
