package io.understudy.rebuild;

import io.understudy.pages.ServerQueries;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs one rebuilding statement on its own connection. A second connection watches the standby and ends the statement
 * when a bound is exceeded.
 */
final class TableRebuild {
    private static final int ER_RECORD_FILE_FULL = 1114;
    private static final int ER_LOCK_WAIT_TIMEOUT = 1205;
    private static final int ER_QUERY_INTERRUPTED = 1317;
    private static final int ER_CONNECTION_KILLED = 1927;
    private static final int ER_STATEMENT_TIMEOUT = 1969;
    private static final int ER_ROW_LOG_OVERFLOW = 1799;
    private static final int ER_NOT_SUPPORTED = 1845;
    private static final int ER_NOT_SUPPORTED_REASON = 1846;
    /** Not a code of the server: the rebuild was ended while it waited for the table. */
    private static final int HELD = -1;

    private static final int ATTEMPTS = 3;
    /** A rebuild that waits before it has copied anything costs nothing to end and repeat. */
    private static final int ATTEMPTS_TO_BEGIN = 20;

    private static final long PAUSE_MILLIS = 250;
    private static final long FIRST_WATCH_MILLIS = 20;
    private static final long LOCK_WATCH_MILLIS = 50;
    private static final int MOST_LOCK_WATCHES = 3;
    private static final long WATCH_MILLIS = 200;
    /** Length to which a statement is shown. */
    private static final int SHOWN = 120;

    private final StandbyQueries standby;
    private final ServerQueries worker;
    private final Bounds bounds;
    private final ProgressOutput journal;
    private final BooleanSupplier stopped;
    private final Killer killer;
    private final Copy copy;
    private long mostLag;

    /**
     * Creates a rebuild without starting it.
     *
     * @param standby the connection for status queries and KILL
     * @param worker the connection that runs the rebuild, with binary logging off
     * @param stopped returns whether the operator requested a stop
     * @param killer ends a statement if the connection that watches it is lost
     */
    TableRebuild(
            StandbyQueries standby,
            ServerQueries worker,
            Bounds bounds,
            ProgressOutput journal,
            BooleanSupplier stopped,
            Killer killer) {
        this.standby = standby;
        this.worker = worker;
        this.bounds = bounds;
        this.journal = journal;
        this.stopped = stopped;
        this.killer = killer;
        this.copy = new Copy(standby);
    }

    /** Ends the running statement of a connection, by a connection of its own. */
    interface Killer {
        void kill(long connection) throws SQLException;
    }

    /** Statements on the connection that runs the rebuild. */
    interface Work {
        void run() throws SQLException;
    }

    /** Returns the statements that set the session variables of a rebuild. */
    static List<String> settings() {
        return List.of(
                "SET SESSION sql_log_bin = 0",
                // A rebuild waits for statements on the table, and the applier waits behind the rebuild. So each wait
                // is limited to one second.
                "SET SESSION lock_wait_timeout = 1",
                // Strict modes refuse old default values such as zero dates.
                "SET SESSION sql_mode = ''");
    }

    /**
     * Limits MySQL's rebuild to one thread. By default four build indexes and four read the table, which compete with
     * the applier for CPU time.
     */
    static void useOneThread(ServerQueries worker) throws SQLException {
        for (String setting : List.of("innodb_ddl_threads", "innodb_parallel_read_threads")) {
            // MariaDB has neither, MySQL before 8.0.27 not both.
            if (!worker.variable(setting).isEmpty()) {
                worker.execute("SET SESSION " + setting + " = 1");
            }
        }
    }

    long mostLag() {
        return mostLag;
    }

    /** Returns the tablespaces of the copies that were seen while the rebuild ran; empty if it was too short. */
    Set<Long> copies() {
        return copy.spaces();
    }

    /** Runs the statement to its end. Returns why it ended early or failed, or null if it succeeded. */
    @Nullable
    Failure run(Subject subject, String sql) throws SQLException, InterruptedException {
        int copies = 0;
        for (int attempt = 1; ; attempt++) {
            Failure failure = watched(subject, () -> worker.execute(sql));
            boolean held = failure != null && failure.code == HELD && attempt < ATTEMPTS_TO_BEGIN;
            boolean late = failure != null && failure.code == ER_LOCK_WAIT_TIMEOUT && ++copies < ATTEMPTS;
            if (!held && !late) {
                return failure;
            }
            if (attempt == 1 || late) {
                journal.line(subject.shown() + ": a statement or transaction on the standby holds the table"
                        + (late ? " at the end of the rebuild; beginning anew" : "; trying again for some seconds"));
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    /**
     * The reason why a rebuild did not succeed.
     *
     * @param code the server's error code, {@link #HELD} or 0
     */
    record Failure(Outcome.State state, int code, String why) {}

    /** Runs statements under watch, once. Returns why they ended early or failed, or null if they succeeded. */
    @Nullable
    Failure watched(Subject subject, Work work) throws SQLException, InterruptedException {
        long id = worker.number("SELECT CONNECTION_ID()");
        CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                        result.complete(null);
                    } catch (SQLException | RuntimeException e) {
                        result.completeExceptionally(e);
                    }
                },
                "rebuild");
        thread.setDaemon(true);
        thread.start();
        try {
            return watch(subject, id, result);
        } catch (SQLException | RuntimeException | InterruptedException e) {
            // Nobody would watch the statement any more, and the server would finish it without a client.
            try {
                killer.kill(id);
            } catch (SQLException unreachable) {
                e.addSuppressed(unreachable);
            }
            throw e;
        }
    }

    private @Nullable Failure watch(Subject subject, long id, CompletableFuture<@Nullable Void> result)
            throws SQLException, InterruptedException {
        String ended = "";
        boolean begun = false;
        int lockWatches = 0;
        for (long millis = FIRST_WATCH_MILLIS; ; millis = begun ? WATCH_MILLIS : LOCK_WATCH_MILLIS) {
            try {
                result.get(millis, TimeUnit.MILLISECONDS);
                return null;
            } catch (TimeoutException running) {
                Load load = standby.load();
                mostLag = Math.max(mostLag, load.lagSeconds());
                if (ended.isEmpty()) {
                    ended = stopped.getAsBoolean() ? "it was stopped" : bounds.alarm(load);
                }
                // At the end of the rebuild the applier's statement waits for a moment only.
                if (begun && ended.isEmpty() && standby.stateOf(id).startsWith("alter")) {
                    String statement = standby.ddlBehind(subject);
                    ended = statement.isEmpty() ? "" : yields(statement);
                }
                if (!begun) {
                    // The applier waits behind a rebuild that waits. With parallel replication each may wait for the
                    // other: a worker that has written to the table and one that is to commit before it.
                    String state = standby.stateOf(id);
                    lockWatches = state.contains("metadata lock") ? lockWatches + 1 : lockWatches;
                    begun = state.startsWith("alter");
                }
                boolean held = !begun && lockWatches >= MOST_LOCK_WATCHES;
                if (held || !ended.isEmpty()) {
                    // Repeated each time: a KILL QUERY that arrives before the statement does has no effect.
                    standby.queries().execute("KILL QUERY " + id);
                } else {
                    journal.progress(subject.shown(), copy.bytes(), subject.fileBytes(), load);
                }
            } catch (ExecutionException e) {
                return failure(e.getCause(), ended, !begun && lockWatches >= MOST_LOCK_WATCHES);
            }
        }
    }

    private static String yields(String statement) {
        String line = statement.strip().replaceAll("\\s+", " ");
        return "replication waits for the table with: "
                + (line.length() > SHOWN ? line.substring(0, SHOWN) + " …" : line)
                + "; see afterwards with report pages whether the table is still worth a rebuild";
    }

    static Failure failure(@Nullable Throwable cause, String ended, boolean held) {
        int code = cause instanceof SQLException e ? e.getErrorCode() : 0;
        String message = cause == null ? "unknown" : String.valueOf(cause.getMessage());
        if (held && ended.isEmpty() && (code == ER_QUERY_INTERRUPTED || code == ER_LOCK_WAIT_TIMEOUT)) {
            return new Failure(
                    Outcome.State.FAILED,
                    HELD,
                    "statements on the standby keep the table in use; end the long ones, or try at another hour");
        }
        return switch (code) {
            case ER_QUERY_INTERRUPTED, ER_CONNECTION_KILLED, ER_STATEMENT_TIMEOUT ->
                new Failure(Outcome.State.ENDED, code, ended.isEmpty() ? "somebody killed it: " + message : ended);
            case ER_NOT_SUPPORTED, ER_NOT_SUPPORTED_REASON ->
                new Failure(
                        Outcome.State.REFUSED,
                        code,
                        "the server cannot rebuild it without locking out the applier: " + message
                                + "; rebuild it while replication is stopped anyway");
            case ER_LOCK_WAIT_TIMEOUT ->
                new Failure(
                        Outcome.State.FAILED,
                        code,
                        "statements on the standby keep the table in use (" + message
                                + "); end the long ones, or try at another hour");
            case ER_ROW_LOG_OVERFLOW ->
                new Failure(
                        Outcome.State.FAILED,
                        code,
                        "too much was written to it meanwhile (" + message
                                + "); raise innodb_online_alter_log_max_size on the standby, or try at a quieter hour");
            case ER_RECORD_FILE_FULL ->
                new Failure(
                        Outcome.State.FAILED,
                        code,
                        "no room for the copy, which the server has removed (" + message
                                + "); free space on the standby's disk or tmpdir first");
            default -> new Failure(Outcome.State.FAILED, code, message);
        };
    }
}
