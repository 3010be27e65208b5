package io.understudy.servers;

import io.understudy.plugin.ServerFlavor;
import java.sql.SQLException;
import java.util.Map;

/**
 * A primary's side of semi-synchronous replication, by whichever names its product and version have for it.
 *
 * @param loaded whether the server has it at all: always on MariaDB from 10.3 on, on MySQL with the plugin
 * @param enabled whether it is switched on
 * @param timeoutMillis longest time that a commit waits for an acknowledgement
 * @param clients replicas that acknowledge
 * @param waiting sessions that wait for an acknowledgement now
 * @param acknowledged commits that some replica has acknowledged so far
 * @param waitPoint {@code AFTER_SYNC} or {@code AFTER_COMMIT}; empty if unknown
 * @param waitFor acknowledgements that a commit needs
 */
public record SemiSyncSource(
        boolean loaded,
        boolean enabled,
        long timeoutMillis,
        long clients,
        long waiting,
        long acknowledged,
        String waitPoint,
        long waitFor) {
    private static final String PREFIX = "rpl_semi_sync_";

    /**
     * Returns a query for {@link #waiting}, of one row and column, which a SELECT may have as an expression. It needs
     * no privilege.
     */
    public static String waitingQuery(ServerFlavor flavor) {
        return "SELECT COALESCE(MAX(VARIABLE_VALUE), 0) FROM "
                + (flavor == ServerFlavor.MARIADB ? "information_schema" : "performance_schema")
                + ".global_status WHERE VARIABLE_NAME IN ('Rpl_semi_sync_source_wait_sessions',"
                + " 'Rpl_semi_sync_master_wait_sessions')";
    }

    /** Queries the server. Needs no privilege. */
    public static SemiSyncSource of(ServerQueries server) throws SQLException {
        Map<String, String> all = server.pairs(SemiSyncVariables.QUERY);
        // No backslashes: with the sql_mode NO_BACKSLASH_ESCAPES they would match nothing, as if no replica
        // acknowledged.
        all.putAll(server.pairs("SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync_%'"));
        return of(all);
    }

    /**
     * Reads variables and status.
     *
     * @param all by lower-case names
     */
    public static SemiSyncSource of(Map<String, String> all) {
        String enabled = value(all, "enabled");
        return new SemiSyncSource(
                !enabled.isEmpty(),
                ServerQueries.isOn(enabled),
                number(all, "timeout"),
                number(all, "clients"),
                number(all, "wait_sessions"),
                number(all, "yes_tx"),
                value(all, "wait_point"),
                // MySQL's two names, and MariaDB's from 12.1 on.
                Math.max(1, Math.max(number(all, "wait_for_replica_count"), number(all, "wait_for_slave_count"))));
    }

    /**
     * Returns a value of the source's side by its name without the prefix; empty if there is none.
     *
     * @param all variables and status by lower-case names
     */
    public static String value(Map<String, String> all, String name) {
        String source = all.get(PREFIX + "source_" + name);
        return source == null ? all.getOrDefault(PREFIX + "master_" + name, "") : source;
    }

    /** Returns a value as {@link #value} does, as a number; 0 if there is none. */
    public static long number(Map<String, String> all, String name) {
        String value = value(all, name);
        return value.isEmpty() ? 0 : Long.parseLong(value);
    }
}
