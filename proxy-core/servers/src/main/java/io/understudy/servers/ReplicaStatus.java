package io.understudy.servers;

import io.understudy.plugin.ServerFlavor;
import io.understudy.sql.Quoting;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * One replication connection of a server, with the columns of both products and of all their versions.
 *
 * @param columns a row of SHOW ALL SLAVES STATUS, SHOW REPLICA STATUS or SHOW SLAVE STATUS by lower-case names; null
 *     values are left out
 */
public record ReplicaStatus(Map<String, String> columns) {
    /** MySQL before 8.0.22 does not know REPLICA. */
    private static final int ER_PARSE_ERROR = 1064;

    private static final String SQL_ERROR = "last_sql_error";
    private static final String WORKERS = "performance_schema.replication_applier_status_by_worker";

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

    /** Reads all replication connections of a server; none of a server that does not replicate. */
    public static List<ReplicaStatus> of(ServerQueries server) throws SQLException {
        return of(server, server.flavor());
    }

    /** As above, for a server of a known product. */
    public static List<ReplicaStatus> of(ServerQueries server, ServerFlavor flavor) throws SQLException {
        return rows(server, flavor).stream().map(ReplicaStatus::new).toList();
    }

    private static List<Map<String, String>> rows(ServerQueries server, ServerFlavor flavor) throws SQLException {
        if (flavor == ServerFlavor.MARIADB) {
            return server.named("SHOW ALL SLAVES STATUS");
        }
        List<Map<String, String>> rows;
        try {
            rows = server.named("SHOW REPLICA STATUS");
        } catch (SQLException e) {
            if (e.getErrorCode() != ER_PARSE_ERROR) {
                throw e;
            }
            rows = server.named("SHOW SLAVE STATUS");
        }
        for (Map<String, String> row : rows) {
            String error = row.getOrDefault(SQL_ERROR, "");
            if (error.contains(WORKERS)) {
                String worker = workersError(server, row.getOrDefault("channel_name", ""));
                row.put(SQL_ERROR, worker.isEmpty() ? error : worker);
            }
        }
        return rows;
    }

    /** MySQL's coordinator only says where the error of its worker is. */
    private static String workersError(ServerQueries server, String channel) throws SQLException {
        try {
            return server.text("SELECT LAST_ERROR_MESSAGE FROM " + WORKERS
                    + " WHERE LAST_ERROR_NUMBER <> 0 AND CHANNEL_NAME = " + Quoting.text(channel));
        } catch (SQLException e) {
            ServerQueries.ensureRefused(e); // it may lack the privilege
            return "";
        }
    }

    private String of(String now, String former) {
        return columns.getOrDefault(now, columns.getOrDefault(former, ""));
    }

    private boolean isYes(String now, String former) {
        return of(now, former).equalsIgnoreCase("Yes");
    }

    /** Returns the name for a statement, or an empty text for the unnamed connection. */
    public String name() {
        return of("channel_name", "connection_name");
    }

    /** Group replication has channels of its own, which are not replication from a primary. */
    public boolean isOfGroup() {
        return name().startsWith("group_replication_");
    }

    /** Returns host and port of the server that it replicates from; an IPv6 address in brackets. */
    public String source() {
        String host = of("source_host", "master_host");
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + of("source_port", "master_port");
    }

    /** Returns the {@code server_id} of that server; empty or 0 before the first connection. */
    public String sourceServerId() {
        return of("source_server_id", "master_server_id");
    }

    /** Returns the account that it logs in with there. */
    public String user() {
        return of("source_user", "master_user");
    }

    public boolean isEncrypted() {
        return isYes("source_ssl_allowed", "master_ssl_allowed");
    }

    /** Returns whether it fetches a MySQL source's public key. */
    public boolean fetchesKey() {
        return of("get_source_public_key", "get_master_public_key").equals("1");
    }

    /** Returns whether it replicates by GTID, not by file and offset. */
    public boolean isByGtid() {
        return columns.containsKey("using_gtid")
                ? !columns.get("using_gtid").equalsIgnoreCase("No")
                : columns.getOrDefault("auto_position", "0").equals("1");
    }

    /** Returns whether it says that it replicates by file and offset. */
    public boolean isByFile() {
        return !isByGtid()
                && !isOfGroup()
                && (columns.containsKey("using_gtid") || columns.containsKey("auto_position"));
    }

    /**
     * Returns whether it replicates from a server; null if it has not connected to its source yet.
     *
     * @param uuid MySQL's {@code server_uuid}, or an empty text
     */
    public @Nullable Boolean isFrom(String uuid, String serverId) {
        String from = of("source_uuid", "master_uuid");
        if (!uuid.isEmpty() && !from.isEmpty()) {
            return from.equals(uuid);
        }
        String id = sourceServerId();
        return id.isEmpty() || id.equals("0") ? null : id.equals(serverId);
    }

    /** Returns whether its source is a server: by its number, or, when it has not connected yet, by its address. */
    public boolean isFromServer(String serverId, String address) {
        return Boolean.TRUE.equals(isFrom("", serverId)) || source().equals(address);
    }

    public boolean receives() {
        return isYes("replica_io_running", "slave_io_running");
    }

    public boolean applies() {
        return isYes("replica_sql_running", "slave_sql_running");
    }

    /** Returns whether both threads are stopped. A receiver that tries to connect is not. */
    public boolean isStopped() {
        return isReceiverStopped() && isApplierStopped();
    }

    /** Returns whether one of the threads is stopped. */
    public boolean isHalted() {
        return isReceiverStopped() || isApplierStopped();
    }

    /** Returns whether the receiver is stopped. One that tries to connect is not. */
    public boolean isReceiverStopped() {
        return of("replica_io_running", "slave_io_running").equalsIgnoreCase("No");
    }

    private boolean isApplierStopped() {
        return of("replica_sql_running", "slave_sql_running").equalsIgnoreCase("No");
    }

    /** Returns the receiver's error message; empty if there is none. */
    public String receiverError() {
        return columns.getOrDefault("last_io_error", "");
    }

    /** Returns the applier's error message; empty if there is none. */
    public String applierError() {
        return columns.getOrDefault(SQL_ERROR, "");
    }

    /** Returns the receiver's or the applier's error message; empty if there is none. */
    public String error() {
        return receiverError().isEmpty() ? applierError() : receiverError();
    }

    /** Returns the number of the error that stopped the receiver, or 0. */
    public int receiverErrno() {
        return (int) number("last_io_errno");
    }

    /** Returns the number of the error that stopped the applier, or 0. */
    public int applierErrno() {
        return (int) number("last_sql_errno");
    }

    private long number(String column) {
        String value = columns.getOrDefault(column, "");
        return value.isEmpty() ? 0 : Long.parseLong(value);
    }

    /** Returns the lag; empty if a thread has stopped. */
    public OptionalDouble secondsBehind() {
        String seconds = of("seconds_behind_source", "seconds_behind_master");
        // MySQL says 0 of a receiver that has stopped within a transaction.
        return seconds.isEmpty() || isReceiverStopped()
                ? OptionalDouble.empty()
                : OptionalDouble.of(Double.parseDouble(seconds));
    }

    /** Returns the configured delay in seconds. */
    public long delay() {
        return number("sql_delay");
    }

    /** Returns the replication filters that are set. */
    public List<String> filters() {
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
    public String received() {
        return of("retrieved_gtid_set", "gtid_io_pos");
    }

    /** Returns file and offset of the last event that it has received. */
    public String receivedFile() {
        return of("source_log_file", "master_log_file") + ":" + of("read_source_log_pos", "read_master_log_pos");
    }

    /**
     * Returns whether its relay logs have nothing that is not applied, by their offsets; they are empty behind a RESET.
     */
    public boolean appliedAll() {
        return receivedFile().startsWith(":") || receivedFile().equals(appliedFile());
    }

    /** Returns file and offset of the last event that it has applied, in its source's binary log. */
    public String appliedFile() {
        return of("relay_source_log_file", "relay_master_log_file") + ":"
                + of("exec_source_log_pos", "exec_master_log_pos");
    }
}
