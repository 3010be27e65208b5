package io.understudy.rebuild;

import io.understudy.pages.InnodbNames;
import io.understudy.rebuild.Bounds.Load;
import io.understudy.servers.MariaDbGtid;
import io.understudy.servers.ReplicaStatus;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Queries a standby's replication and read-only state over one connection. Not thread-safe. */
final class StandbyQueries {
    /** A statement that changes a table's definition, after comments, as tools put them in front. */
    private static final Pattern DDL = Pattern.compile(
            "(?:\\s|/\\*M?!\\d*+|(?>/\\*.*?\\*/)|(?:#|--)[^\\n]*+\\n)*+"
                    + "(?:ALTER|CREATE|DROP|OPTIMIZE|RENAME|REPAIR|TRUNCATE)(?!\\w)",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private static final int ER_NO_SUCH_THREAD = 1094;
    private static final long END_PROBE_MILLIS = 100;
    private static final int MOST_END_PROBES = 600;

    private final ServerQueries queries;

    StandbyQueries(ServerQueries queries) {
        this.queries = queries;
    }

    ServerQueries queries() {
        return queries;
    }

    boolean readOnly() throws SQLException {
        return queries.isReadOnly();
    }

    boolean superReadOnly() throws SQLException {
        return ServerQueries.isOn(queries.variable("super_read_only"));
    }

    /** Returns the seconds behind of each channel; -1 for a channel that is not running. */
    List<Long> channels() throws SQLException {
        return ReplicaStatus.of(queries).stream()
                .map(channel -> (long) channel.secondsBehind().orElse(-1))
                .toList();
    }

    Load load() throws SQLException {
        List<Long> channels = channels();
        long lag = channels.isEmpty() || channels.contains(-1L)
                ? -1
                : channels.stream().mapToLong(Long::longValue).max().orElse(-1);
        return new Load(lag, queries.status("Threads_running"), readOnly(), !channels.isEmpty());
    }

    /** Returns the DDL statement on a table with which replication waits for a lock; empty if there is none. */
    String ddlBehind(Subject subject) throws SQLException {
        Pattern name = Pattern.compile(
                "(?<![\\w$])" + Pattern.quote(subject.table()) + "(?![\\w$])", Pattern.CASE_INSENSITIVE);
        return queries
                .rows(
                        "SELECT INFO FROM information_schema.PROCESSLIST WHERE USER = 'system user'"
                                + " AND STATE LIKE 'Waiting for table metadata lock%' AND INFO IS NOT NULL",
                        row -> ServerQueries.text(row, 1))
                .stream()
                .filter(sql -> DDL.matcher(sql).lookingAt() && name.matcher(sql).find())
                .findFirst()
                .orElse("");
    }

    /**
     * Returns the size in bytes of the copies that rebuilds are building, or -1 if unknown: MySQL requires SELECT on
     * performance_schema. The view of tablespaces costs the server time for each table that it has.
     *
     * @param spaces receives the tablespaces of the copies, also those of other tables
     */
    long copies(Set<Long> spaces) throws SQLException {
        long sum = 0;
        for (long[] copy : queries.rows(
                "SELECT SPACE, FILE_SIZE FROM " + InnodbNames.of(queries).tablespaces()
                        + " WHERE NAME LIKE '%/#sql%' OR NAME LIKE '%#P#%#TMP#'",
                row -> new long[] {row.getLong(1), row.getLong(2)})) {
            spaces.add(copy[0]);
            sum += copy[1];
        }
        if (queries.isMariaDb()) {
            return sum;
        }
        try {
            // MySQL's view tells no size of a copy, but the bytes that were written to it.
            return queries.number("SELECT SUM(SUM_NUMBER_OF_BYTES_WRITE) FROM"
                    + " performance_schema.file_summary_by_instance"
                    + " WHERE FILE_NAME LIKE '%/#sql-ib%.ibd' OR FILE_NAME LIKE '%#p#%#tmp.ibd'");
        } catch (SQLException e) {
            if (!ServerQueries.denied(e)) {
                throw e;
            }
            return -1;
        }
    }

    /**
     * The state of a connection.
     *
     * @param command as in the process list; empty if there is no such connection
     */
    record Activity(String command, String state) {
        private static final Activity GONE = new Activity("", "");

        boolean gone() {
            return command.isEmpty();
        }

        /** Returns whether it executes nothing. */
        boolean idle() {
            return gone() || command.equals("Sleep");
        }

        boolean waitsForLock() {
            return state.contains("metadata lock");
        }

        boolean alters() {
            return state.startsWith("alter");
        }

        boolean commits() {
            return state.toLowerCase(Locale.ROOT).startsWith("committing");
        }

        /** Returns whether it executes a statement that has its tables, whatever this product calls that. */
        boolean works() {
            return !idle() && !waitsForLock() && !state.startsWith("Opening");
        }
    }

    /**
     * Returns what a connection of this account is doing. After a restart of the server another account's connection,
     * or a thread of the replication, may have its identifier.
     */
    Activity activity(long connection) throws SQLException {
        return queries
                .rows(
                        "SELECT COMMAND, STATE FROM information_schema.PROCESSLIST WHERE ID = " + connection
                                + " AND ID <> CONNECTION_ID()"
                                + " AND LEFT(USER(), CHAR_LENGTH(USER) + 1) = CONCAT(USER, '@')",
                        row -> new Activity(ServerQueries.text(row, 1), ServerQueries.text(row, 2)))
                .stream()
                .findFirst()
                .orElse(Activity.GONE);
    }

    /**
     * Ends a connection or its statement, if there is one.
     *
     * @param what {@code QUERY} or {@code CONNECTION}
     */
    void kill(String what, long connection) throws SQLException {
        try {
            queries.execute("KILL " + what + " " + connection);
        } catch (SQLException e) {
            if (e.getErrorCode() != ER_NO_SUCH_THREAD) {
                throw e;
            }
        }
    }

    /** Ends a connection and waits until it is gone. Returns false if it is still there after a minute. */
    boolean end(long connection) throws SQLException, InterruptedException {
        for (int probe = 0; !activity(connection).gone(); probe++) {
            if (probe >= MOST_END_PROBES) {
                return false;
            }
            kill("CONNECTION", connection);
            TimeUnit.MILLISECONDS.sleep(END_PROBE_MILLIS);
        }
        return true;
    }

    /**
     * Returns the transactions that this server logged itself; a rebuild must not add to them. Null if they have no
     * GTIDs, on MySQL.
     */
    @Nullable
    String ownTransactions() throws SQLException {
        if (queries.isMariaDb()) {
            String id = queries.variable("server_id");
            return MariaDbGtid.list(queries.variable("gtid_binlog_state")).stream()
                    .filter(gtid -> id.equals(Long.toString(gtid.server())))
                    .map(MariaDbGtid::toString)
                    .collect(Collectors.joining(" "));
        }
        if (!queries.variable("gtid_mode").startsWith("ON")) {
            return null;
        }
        String uuid = queries.variable("server_uuid");
        return Stream.of(queries.variable("gtid_executed").split(","))
                .map(String::strip)
                .filter(set -> set.startsWith(uuid))
                .collect(Collectors.joining(" "));
    }
}
