package io.understudy.rebuild;

import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the statements that rebuild one table on their own connection, one after the other. A second connection watches
 * the standby and ends a statement when a bound is exceeded.
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

    private static final int ATTEMPTS = 3;
    /** A rebuild that waits before it has copied anything costs nothing to end and repeat. */
    private static final int ATTEMPTS_TO_BEGIN = 20;

    private static final long PAUSE_MILLIS = 250;
    private static final long MEASURED_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Length to which a statement is shown. */
    private static final int SHOWN = 120;

    private final DefragmentationRun run;
    private final Subject subject;
    private final LongSupplier clock;
    private final Set<Long> copies = new HashSet<>();
    private long measuredNanos;
    private long copied;
    private long mostLag;

    /** @param clock returns the time in nanoseconds */
    TableRebuild(DefragmentationRun run, Subject subject, LongSupplier clock) {
        this.run = run;
        this.subject = subject;
        this.clock = clock;
        measuredNanos = clock.getAsLong() - MEASURED_EVERY_NANOS;
    }

    Subject subject() {
        return subject;
    }

    /** Returns the largest lag that was seen, in whole seconds. */
    long mostLag() {
        return mostLag;
    }

    /** Returns the tablespaces of the copies that were seen while the rebuild ran; empty if it was too short. */
    Set<Long> copies() {
        return copies;
    }

    /** Returns the size of the copy in bytes as of at most a second ago, or -1 if unknown. */
    long copied() throws SQLException {
        if (clock.getAsLong() - measuredNanos >= MEASURED_EVERY_NANOS) {
            copied = run.standby().copies(copies);
            measuredNanos = clock.getAsLong();
        }
        return copied;
    }

    /** Runs a statement as {@link #run} does. */
    void execute(String sql) throws SQLException, InterruptedException, NotRebuiltException {
        run(() -> {
            run.worker().queries().execute(sql);
            return sql;
        });
    }

    /**
     * Runs statements to their end, when the standby is calm, and returns their result.
     *
     * @throws NotRebuiltException if they ended early or failed
     */
    <T> T run(Callable<T> work) throws SQLException, InterruptedException, NotRebuiltException {
        int late = 0;
        for (int attempt = 1; ; attempt++) {
            run.awaitCalm();
            try {
                return watched(work);
            } catch (NotRebuiltException e) {
                boolean atEnd = e.code() == ER_LOCK_WAIT_TIMEOUT && ++late < ATTEMPTS;
                if (!atEnd && (e.code() != NotRebuiltException.HELD || attempt >= ATTEMPTS_TO_BEGIN)) {
                    throw e;
                }
                if (attempt == 1 || atEnd) {
                    run.journal()
                            .line(subject.shown() + ": a statement or transaction on the standby holds the table"
                                    + (atEnd
                                            ? " at the end of the rebuild; beginning anew"
                                            : "; trying again for some seconds"));
                }
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    private <T> T watched(Callable<T> work) throws SQLException, InterruptedException, NotRebuiltException {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        result.complete(work.call());
                    } catch (Exception e) {
                        result.completeExceptionally(e);
                    }
                },
                "rebuild");
        thread.setDaemon(true);
        thread.start();
        Watch watch = new Watch(run, this);
        try {
            return watch.until(result);
        } catch (ConnectionLostException e) {
            throw e;
        } catch (SQLException e) {
            // Nobody would watch the statement any more, and the server would finish it without a client.
            kill(e);
            throw new ConnectionLostException("nothing watches the rebuild any more: " + e.getMessage(), e);
        } catch (RuntimeException | InterruptedException e) {
            kill(e);
            throw e;
        } finally {
            mostLag = Math.max(mostLag, watch.mostLag());
        }
    }

    private void kill(Exception why) throws InterruptedException {
        long connection = run.worker().id();
        try (Connection own = run.further().open()) {
            if (!new StandbyQueries(new ServerQueries(own)).end(connection)) {
                throw new SQLException("it is killed and still there");
            }
        } catch (SQLException unreachable) {
            why.addSuppressed(unreachable);
            run.journal()
                    .line("the server cannot be reached to end the statement of connection " + connection + " ("
                            + unreachable.getMessage() + "); there: KILL " + connection);
        }
    }

    /** Returns why a rebuild ends when replication waits with a statement. */
    static String yields(String statement) {
        String line = statement.strip().replaceAll("\\s+", " ");
        return "replication waits for the table with: "
                + (line.length() > SHOWN ? line.substring(0, SHOWN) + " …" : line)
                + "; see afterwards with report pages whether the table is still worth a rebuild";
    }

    static NotRebuiltException failure(@Nullable Throwable cause, String ended, boolean held) {
        int code = cause instanceof SQLException e ? e.getErrorCode() : 0;
        String message = cause == null ? "unknown" : String.valueOf(cause.getMessage());
        if (held && ended.isEmpty() && (code == ER_QUERY_INTERRUPTED || code == ER_LOCK_WAIT_TIMEOUT)) {
            return new NotRebuiltException(
                    TableOutcome.State.FAILED,
                    NotRebuiltException.HELD,
                    "statements on the standby keep the table in use; end the long ones, or try at another hour");
        }
        TableOutcome.State state = switch (code) {
            case ER_QUERY_INTERRUPTED, ER_CONNECTION_KILLED, ER_STATEMENT_TIMEOUT -> TableOutcome.State.ENDED;
            case ER_NOT_SUPPORTED, ER_NOT_SUPPORTED_REASON -> TableOutcome.State.REFUSED;
            default -> TableOutcome.State.FAILED;
        };
        String why = switch (code) {
            case ER_QUERY_INTERRUPTED, ER_CONNECTION_KILLED, ER_STATEMENT_TIMEOUT ->
                ended.isEmpty() ? "somebody killed it: " + message : ended;
            case ER_NOT_SUPPORTED, ER_NOT_SUPPORTED_REASON ->
                "the server cannot rebuild it without locking out the applier: " + message
                        + "; rebuild it while replication is stopped anyway";
            case ER_LOCK_WAIT_TIMEOUT ->
                "statements on the standby keep the table in use (" + message
                        + "); end the long ones, or try at another hour";
            case ER_ROW_LOG_OVERFLOW ->
                "too much was written to it meanwhile (" + message
                        + "); raise innodb_online_alter_log_max_size on the standby, or try at a quieter hour";
            case ER_RECORD_FILE_FULL ->
                "no room for the copy, which the server has removed (" + message
                        + "); free space on the standby's disk or tmpdir first";
            default -> message;
        };
        return new NotRebuiltException(state, code, why);
    }

    /** Thrown if a statement that rebuilds a table did not succeed or was not begun; the message says why. */
    static final class NotRebuiltException extends Exception {
        private static final long serialVersionUID = 1L;

        /** Not a code of the server: the rebuild was ended while it waited for the table. */
        static final int HELD = -1;

        private final TableOutcome.State state;
        private final int code;

        /** @param code the server's error code, {@link #HELD} or 0 */
        NotRebuiltException(TableOutcome.State state, int code, String why) {
            super(why);
            this.state = state;
            this.code = code;
        }

        TableOutcome.State state() {
            return state;
        }

        int code() {
            return code;
        }

        String why() {
            return String.valueOf(getMessage());
        }
    }

    /** Thrown if the connection that rebuilds is lost, or was ended because nothing watches it any more. */
    static final class ConnectionLostException extends SQLException {
        private static final long serialVersionUID = 1L;

        ConnectionLostException(String message, SQLException cause) {
            super(message, cause.getSQLState(), cause.getErrorCode(), cause);
        }
    }
}
