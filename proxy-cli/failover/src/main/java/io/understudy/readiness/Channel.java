package io.understudy.readiness;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * One replication connection of a standby, with the columns of both products.
 *
 * @param columns a row of SHOW ALL SLAVES STATUS or SHOW REPLICA STATUS by lower-case names; null values are left out
 */
record Channel(Map<String, String> columns) {
    private static final List<String> FILTERS = List.of(
            "replicate_do_db",
            "replicate_ignore_db",
            "replicate_do_table",
            "replicate_ignore_table",
            "replicate_wild_do_table",
            "replicate_wild_ignore_table",
            "replicate_do_domain_ids",
            "replicate_ignore_domain_ids",
            "replicate_ignore_server_ids",
            "replicate_rewrite_db");

    private String of(String mysql, String mariaDb) {
        return columns.getOrDefault(mysql, columns.getOrDefault(mariaDb, ""));
    }

    /** Returns the name for a statement, or an empty text for the unnamed connection. */
    String name() {
        return of("channel_name", "connection_name");
    }

    /** Group replication has channels of its own, which are not replication from a primary. */
    boolean isOfGroup() {
        return name().startsWith("group_replication_");
    }

    String source() {
        return of("source_host", "master_host") + ":" + of("source_port", "master_port");
    }

    /** Returns whether it replicates from a server; null if it has not connected to its source yet. */
    @Nullable
    Boolean isFrom(ServerFacts server) {
        String uuid = of("source_uuid", "master_uuid");
        if (!server.variable("server_uuid").isEmpty() && !uuid.isEmpty()) {
            return uuid.equals(server.variable("server_uuid"));
        }
        String id = of("source_server_id", "master_server_id");
        return id.isEmpty() || id.equals("0") ? null : id.equals(server.variable("server_id"));
    }

    boolean receives() {
        return of("replica_io_running", "slave_io_running").equalsIgnoreCase("Yes");
    }

    boolean applies() {
        return of("replica_sql_running", "slave_sql_running").equalsIgnoreCase("Yes");
    }

    /** Returns the errors of receiver and applier, or an empty text. */
    String error(String thread) {
        String number = columns.getOrDefault("last_" + thread + "_errno", "0");
        return number.equals("0")
                ? ""
                : "error " + number + ": " + columns.getOrDefault("last_" + thread + "_error", "");
    }

    OptionalDouble secondsBehind() {
        String seconds = of("seconds_behind_source", "seconds_behind_master");
        return seconds.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(Double.parseDouble(seconds));
    }

    /** Returns the configured delay in seconds. */
    long delay() {
        String delay = columns.getOrDefault("sql_delay", "0");
        return delay.isEmpty() ? 0 : Long.parseLong(delay);
    }

    /** Returns the replication filters that are set. */
    List<String> filters() {
        List<String> set = new ArrayList<>();
        for (String filter : FILTERS) {
            String value = columns.getOrDefault(filter, "");
            if (!value.isEmpty()) {
                set.add(filter.toUpperCase(Locale.ROOT) + " = " + value);
            }
        }
        return set;
    }

    /** Returns the position up to which it has received: a GTID position, or a set of GTIDs on MySQL; may be empty. */
    String received() {
        return of("retrieved_gtid_set", "gtid_io_pos");
    }

    /** Returns file and offset of the last event that it has received. */
    String receivedFile() {
        return of("source_log_file", "master_log_file") + ":" + of("read_source_log_pos", "read_master_log_pos");
    }

    /** Returns file and offset of the last event that it has applied, in its source's binary log. */
    String appliedFile() {
        return of("relay_source_log_file", "relay_master_log_file") + ":"
                + of("exec_source_log_pos", "exec_master_log_pos");
    }
}
