package io.understudy.move;

import io.understudy.command.GtidTracking;
import io.understudy.sql.Quoting;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Makes assignments of a session's variables. */
final class SessionVariables {
    private static final String SQL_MODE = "sql_mode";
    private static final String TRACKED = "session_track_system_variables";
    private static final Pattern NUMBER = Pattern.compile("-?[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?");
    /** Shorter by one than what the servers show of a value: 1,024 characters (MySQL), 2,048 (MariaDB). */
    private static final int LONGEST = 1023;

    /** Carried otherwise, of the connection rather than the session, or a diagnosis. */
    private static final Set<String> LEFT_OUT = Set.of(("autocommit character_set_client character_set_connection"
                    + " character_set_results character_set_database collation_connection collation_database"
                    + " max_allowed_packet net_buffer_length last_insert_id identity insert_id timestamp"
                    + " max_join_size sql_big_selects pseudo_thread_id statement_id error_count warning_count"
                    + " external_user proxy_user debug_sync gtid_executed gtid_owned")
            .split(" "));

    /** Values of a new session, where MySQL has no global one. */
    private static final Map<String, String> INITIAL = Map.ofEntries(
            Map.entry("gtid_next", "AUTOMATIC"),
            Map.entry("immediate_server_version", "999999"),
            Map.entry("original_commit_timestamp", "36028797018963968"),
            Map.entry("original_server_version", "999999"),
            Map.entry("pseudo_replica_mode", "OFF"),
            Map.entry("pseudo_slave_mode", "OFF"),
            Map.entry("rand_seed1", "0"),
            Map.entry("rand_seed2", "0"),
            Map.entry("require_row_format", "OFF"),
            Map.entry("resultset_metadata", "FULL"),
            Map.entry("show_create_table_skip_secondary_engine", "OFF"),
            Map.entry("sql_log_bin", "ON"),
            Map.entry("transaction_allow_batching", "OFF"),
            Map.entry("use_secondary_engine", "ON"));

    private SessionVariables() {}

    /**
     * Returns statements for the rows of {@link StateQueries#variables}, that of {@code sql_mode} last.
     *
     * @param own names of variables that the proxy has set
     * @param tracking what the proxy has added to what the session tracks
     */
    static List<String> assignments(List<byte @Nullable [][]> rows, Set<String> own, GtidTracking tracking) {
        List<String> statements = new ArrayList<>();
        List<String> last = new ArrayList<>(1);
        for (byte @Nullable [][] row : rows) {
            String name = StateRows.text(row[0]);
            String value = StateRows.text(row[1]);
            String type = StateRows.text(row[2]);
            if (name == null || LEFT_OUT.contains(name) || own.contains(name)) {
                continue;
            }
            if (value != null && value.equals(type == null ? INITIAL.get(name) : null)) {
                continue;
            }
            if (value != null && value.length() >= LONGEST) {
                throw NotMoved.unknownState("the value of " + name + " is too long to be shown");
            }
            if (name.equals("session_track_gtids") && tracking.addedGtids()) {
                continue;
            }
            if (name.equals(TRACKED) && value != null) {
                value = without(value, tracking.addedVariables());
            }
            String statement = "SET SESSION " + name + " = " + literal(value, type);
            (name.equals(SQL_MODE) ? last : statements).add(statement);
        }
        statements.addAll(last);
        return statements;
    }

    private static String without(String list, List<String> tracked) {
        return String.join(
                ",",
                Arrays.stream(list.split(","))
                        .filter(one -> !tracked.contains(one.trim()))
                        .toList());
    }

    private static String literal(@Nullable String value, @Nullable String type) {
        if (value == null) {
            return "NULL";
        }
        boolean numeric = type == null || type.contains("INT") || type.equals("DOUBLE");
        return numeric && NUMBER.matcher(value).matches() ? value : Quoting.text(value);
    }
}
