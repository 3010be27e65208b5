package io.understudy.rebuild;

import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs rebuilding statements on their own connection, one after the other. A second connection watches the standby and
 * ends a statement when a bound is exceeded.
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
    /** Length to which a statement is shown. */
    private static final int SHOWN = 120;

    private final Calm calm;
    private final Worker worker;
    private final Killer killer;
    private Copy copy;
    private long mostLag;

    /**
     * Creates a rebuild without starting it.
     *
     * @param calm has the connection for status queries and KILL; waits before each attempt
     * @param worker the connection that runs the rebuild
     * @param killer ends a connection's statement if the connection that watches it is lost
     */
    TableRebuild(Calm calm, Worker worker, Killer killer) {
        this.calm = calm;
        this.worker = worker;
        this.killer = killer;
        this.copy = new Copy(calm.standby(), System::nanoTime);
    }

    /** Ends a connection and its statement, by a connection of its own. */
    interface Killer {
        void kill(long connection) throws SQLException, InterruptedException;
    }

    /** Statements on the connection that runs the rebuild. */
    interface Work {
        void run() throws SQLException;
    }

    /** Begins with another table. */
    void begin() {
        copy = new Copy(calm.standby(), System::nanoTime);
        mostLag = 0;
    }

    /** Returns the largest lag since {@link #begin}, in whole seconds. */
    long mostLag() {
        return mostLag;
    }

    /** Returns the tablespaces of the copies that were seen while the rebuild ran; empty if it was too short. */
    Set<Long> copies() {
        return copy.spaces();
    }

    /**
     * Runs statements to their end, when the standby is calm. Returns why they ended early or failed, or null if they
     * succeeded.
     */
    @Nullable
    Failure run(Subject subject, Work work) throws SQLException, InterruptedException {
        int copies = 0;
        for (int attempt = 1; ; attempt++) {
            Failure busy = calm.await();
            if (busy != null) {
                return busy;
            }
            Failure failure = watched(subject, work);
            boolean held = failure != null && failure.code == HELD && attempt < ATTEMPTS_TO_BEGIN;
            boolean late = failure != null && failure.code == ER_LOCK_WAIT_TIMEOUT && ++copies < ATTEMPTS;
            if (!held && !late) {
                return failure;
            }
            if (attempt == 1 || late) {
                calm.journal()
                        .line(subject.shown() + ": a statement or transaction on the standby holds the table"
                                + (late
                                        ? " at the end of the rebuild; beginning anew"
                                        : "; trying again for some seconds"));
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    /**
     * The reason why a rebuild did not succeed.
     *
     * @param code the server's error code, {@link #HELD} or 0
     */
    record Failure(TableOutcome.State state, int code, String why) {}

    private @Nullable Failure watched(Subject subject, Work work) throws SQLException, InterruptedException {
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
        Watch watch = new Watch(calm, worker.id(), subject, copy);
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
        try {
            killer.kill(worker.id());
        } catch (SQLException unreachable) {
            why.addSuppressed(unreachable);
            calm.journal()
                    .line("the server cannot be reached to end the statement of connection " + worker.id() + " ("
                            + unreachable.getMessage() + "); there: KILL " + worker.id());
        }
    }

    /** Returns why a rebuild ends when replication waits with a statement. */
    static String yields(String statement) {
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
                    TableOutcome.State.FAILED,
                    HELD,
                    "statements on the standby keep the table in use; end the long ones, or try at another hour");
        }
        return switch (code) {
            case ER_QUERY_INTERRUPTED, ER_CONNECTION_KILLED, ER_STATEMENT_TIMEOUT ->
                new Failure(TableOutcome.State.ENDED, code, ended.isEmpty() ? "somebody killed it: " + message : ended);
            case ER_NOT_SUPPORTED, ER_NOT_SUPPORTED_REASON ->
                new Failure(
                        TableOutcome.State.REFUSED,
                        code,
                        "the server cannot rebuild it without locking out the applier: " + message
                                + "; rebuild it while replication is stopped anyway");
            case ER_LOCK_WAIT_TIMEOUT ->
                new Failure(
                        TableOutcome.State.FAILED,
                        code,
                        "statements on the standby keep the table in use (" + message
                                + "); end the long ones, or try at another hour");
            case ER_ROW_LOG_OVERFLOW ->
                new Failure(
                        TableOutcome.State.FAILED,
                        code,
                        "too much was written to it meanwhile (" + message
                                + "); raise innodb_online_alter_log_max_size on the standby, or try at a quieter hour");
            case ER_RECORD_FILE_FULL ->
                new Failure(
                        TableOutcome.State.FAILED,
                        code,
                        "no room for the copy, which the server has removed (" + message
                                + "); free space on the standby's disk or tmpdir first");
            default -> new Failure(TableOutcome.State.FAILED, code, message);
        };
    }
}
