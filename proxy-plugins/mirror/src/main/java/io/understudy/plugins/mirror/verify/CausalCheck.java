package io.understudy.plugins.mirror.verify;

import io.understudy.plugin.HashedResult;
import io.understudy.plugin.HashedResult.Relation;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.Standby;
import io.understudy.servers.Dialect;
import io.understudy.servers.SemiSyncSource;
import io.understudy.servers.SemiSyncVariables;
import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Executes one read on the primary and, once it has applied what the primary had logged by then, on the standby. The
 * results are comparable only if the binary log shows no write to the tables from {@link #QUIET_NANOS} before until
 * after both. Used by one thread, which waits.
 */
final class CausalCheck {
    /** Longer than a commit takes from the binary log until other sessions see it, semi-sync's wait apart. */
    static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final Duration APPLY = Duration.ofSeconds(2);
    private static final long LOG_MILLIS = 2_000;
    private static final int TIMEOUT_SECONDS = 5;
    private static final int FETCH = 1_000;
    /** A number, or from MariaDB 12 on a word. */
    private static final Set<String> WRITABLE = Set.of("0", "OFF");
    /** The expression of the version without its patch level. */
    private static final String VERSION = "REGEXP_SUBSTR(VERSION(), '^[0-9]+[.][0-9]+')";

    /**
     * The outcome of one comparison.
     *
     * @param reason why it is inconclusive, or null
     * @param from position before the reads
     * @param until position after them
     */
    record Outcome(
            @Nullable String reason,
            @Nullable HashedResult primary,
            @Nullable HashedResult standby,
            String from,
            String until) {
        static Outcome inconclusive(String reason) {
            return new Outcome(reason, null, null, "", "");
        }

        boolean differs() {
            return reason == null && !isSame(primary, standby);
        }

        /** Returns whether both have the rows in the same order. */
        boolean ordersRows() {
            return primary == null || standby == null || primary.to(standby) != Relation.ORDER;
        }

        /** Returns whether both servers had these results the other time too. */
        boolean isLike(Outcome other) {
            return isSame(primary, other.primary) && isSame(standby, other.standby);
        }

        /** Whether the rows are the same, in any order. */
        private static boolean isSame(@Nullable HashedResult one, @Nullable HashedResult other) {
            return one == null || other == null ? one == null && other == null : one.to(other) != Relation.DIFFERENT;
        }
    }

    private final @Nullable DataSource primary;
    private final TableWrites writes;
    private final SimpleRead shape = new SimpleRead();
    private final TableFitness fitness;
    private final Runnable asked;

    private volatile String lastError = "";

    /** @param asked called for each query to the primary, which are few: one read costs four */
    CausalCheck(@Nullable DataSource primary, TableWrites writes, Runnable asked) {
        this.primary = primary;
        this.writes = writes;
        this.asked = asked;
        this.fitness = new TableFitness(asked);
    }

    /** Returns why a comparison failed last, or an empty text. */
    String lastError() {
        return lastError;
    }

    Outcome compare(VerifiedRead read, ServerFlavor flavor) throws InterruptedException {
        if (primary == null) {
            return Outcome.inconclusive("no_account");
        }
        byte[] text = read.text();
        String sql = read.sql();
        String unfit = text == null || sql == null ? "parameters" : shape.unfit(text);
        if (sql == null || unfit != null) {
            return Outcome.inconclusive(String.valueOf(unfit));
        }
        Standby standby = read.standby();
        if (standby.isPrimary() || !standby.state().reachable()) {
            return Outcome.inconclusive("standby");
        }
        if (!standby.state().readOnly()) {
            return Outcome.inconclusive("not_read_only"); // it may have writes of its own, as after a promotion
        }
        long quiet = System.nanoTime() - QUIET_NANOS;
        if (!writes.quietSince(read.tables(), quiet)) {
            return Outcome.inconclusive("recent_write");
        }
        try (Connection one = primary.getConnection()) {
            return compare(read, sql, Dialect.of(flavor), one, quiet);
        } catch (SQLException e) {
            lastError = String.valueOf(e.getMessage());
            return Outcome.inconclusive("error");
        }
    }

    private Outcome compare(VerifiedRead read, String sql, Dialect dialect, Connection one, long quiet)
            throws SQLException, InterruptedException {
        String unfit = fitness.unfit(one, read.tables());
        if (unfit != null) {
            return Outcome.inconclusive(unfit);
        }
        try {
            return compareSettled(read, sql, dialect, one, quiet);
        } finally {
            release(one);
        }
    }

    private Outcome compareSettled(VerifiedRead read, String sql, Dialect dialect, Connection one, long quiet)
            throws SQLException, InterruptedException {
        String wanted = read.sqlMode();
        settle(one, wanted == null ? "''" : wanted);
        asked.run();
        List<String> beginning = new ServerQueries(one)
                .rows(
                        dialect.position() + ", (" + SemiSyncSource.waitingQuery(dialect.flavor())
                                + "), @@SESSION.sql_mode, " + VERSION,
                        row -> List.of(
                                ServerQueries.text(row, 1),
                                ServerQueries.text(row, 2),
                                ServerQueries.text(row, 3),
                                ServerQueries.text(row, 4)))
                .get(0);
        String before = beginning.get(0);
        boolean waits = !beginning.get(1).equals("0");
        String mode = beginning.get(2);
        if (mode.contains("NO_BACKSLASH_ESCAPES") && sql.indexOf('\\') >= 0) {
            return Outcome.inconclusive("parameters");
        }
        asked.run();
        HashedResult expected = read(one, read.schema(), sql);
        String reached = ofPrimary(one, dialect.position());
        String version = beginning.get(3);
        HashedResult found;
        // Opened late: the standby's monitor needs the pool's connections too.
        try (Connection other = read.standby().dataSource().getConnection()) {
            if (!version.equals(query(other, "SELECT " + VERSION))) {
                return Outcome.inconclusive("version"); // values may be written in another way
            }
            if (!"0".equals(query(other, dialect.applied(reached, APPLY)))) {
                return Outcome.inconclusive("standby_behind");
            }
            try {
                settle(other, "'" + mode + "'");
                found = read(other, read.schema(), sql);
            } finally {
                release(other);
            }
            if (WRITABLE.contains(query(other, "SELECT @@GLOBAL.read_only"))) {
                return Outcome.inconclusive("not_read_only"); // promoted meanwhile
            }
        }
        String after = ofPrimary(one, dialect.position());
        if (expected == null || found == null) {
            return Outcome.inconclusive("too_large");
        }
        if (!writes.await(after, LOG_MILLIS)) {
            return Outcome.inconclusive("binlog_behind");
        }
        if (!writes.quietSince(read.tables(), quiet)) {
            return Outcome.inconclusive("concurrent_write");
        }
        Outcome outcome = new Outcome(null, expected, found, before, after);
        if (waits && outcome.differs()) {
            // A commit that waits for semi-sync is logged, and perhaps applied on the standby, but not visible here.
            asked.run();
            long longest = SemiSyncSource.number(new ServerQueries(one).pairs(SemiSyncVariables.QUERY), "timeout");
            if (!writes.quietSince(read.tables(), quiet - TimeUnit.MILLISECONDS.toNanos(longest))) {
                return Outcome.inconclusive("commit_waiting");
            }
        }
        return outcome;
    }

    /** Gives a pooled connection settings that are the same on both servers; the pool itself lifts the row limit. */
    private static void settle(Connection connection, String mode) throws SQLException {
        new ServerQueries(connection)
                .execute(
                        "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci",
                        // With READ UNCOMMITTED, rows that no transaction has committed would count; no log has them.
                        "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
                        "SET SESSION sql_mode = " + mode + ", SESSION time_zone = '+00:00'");
    }

    private static @Nullable HashedResult read(Connection connection, @Nullable String schema, String sql)
            throws SQLException {
        if (schema != null) {
            connection.setCatalog(schema);
        }
        try (Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.setQueryTimeout(TIMEOUT_SECONDS);
            statement.setFetchSize(FETCH);
            try (ResultSet result = statement.executeQuery(sql)) {
                return ReadRows.of(result);
            }
        }
    }

    /** The pool's other users expect the server's own settings; the isolation level means nothing to them. */
    private static void release(Connection connection) throws SQLException {
        new ServerQueries(connection).execute("SET SESSION sql_mode = DEFAULT, SESSION time_zone = DEFAULT");
    }

    private String ofPrimary(Connection connection, String sql) throws SQLException {
        asked.run();
        return query(connection, sql);
    }

    private static String query(Connection connection, String sql) throws SQLException {
        return new ServerQueries(connection).column(sql).get(0);
    }
}
