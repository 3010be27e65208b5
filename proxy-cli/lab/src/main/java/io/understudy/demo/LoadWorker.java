package io.understudy.demo;

import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A thread that runs a script over a connection, and connects again when it breaks. */
final class LoadWorker implements Runnable {

    private static final long RECONNECT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** Opens a connection of the right account. */
    interface Opener {
        LoadSession open() throws SQLException;
    }

    private final Opener opener;
    private final Script script;
    private final LoadCounters counters;
    private final long pauseNanos;
    private final long limit;
    private long done;
    private volatile boolean running = true;
    private volatile @Nullable LoadSession session;

    /**
     * @param pauseNanos between two steps
     * @param limit of statements, after which the worker ends (with the step that reaches it)
     */
    LoadWorker(Opener opener, Script script, LoadCounters counters, long pauseNanos, long limit) {
        this.opener = opener;
        this.script = script;
        this.counters = counters;
        this.pauseNanos = pauseNanos;
        this.limit = limit;
    }

    @Override
    public void run() {
        while (mayGoOn()) {
            try (LoadSession opened = opener.open()) {
                session = opened;
                work(opened);
            } catch (SQLException e) {
                if (running) {
                    counters.connectFailed(String.valueOf(e.getMessage()));
                    LockSupport.parkNanos(RECONNECT_NANOS);
                }
            }
        }
    }

    private boolean mayGoOn() {
        return running && done < limit && !Thread.currentThread().isInterrupted();
    }

    /** Returns when the worker must end, throws when the connection is no longer usable. */
    private void work(LoadSession opened) throws SQLException {
        while (mayGoOn()) {
            long before = opened.executed();
            try {
                script.step(opened);
            } catch (SQLException e) {
                // The error is counted already. A usable connection continues after leaving its transaction.
                if (!opened.isUsable()) {
                    throw e;
                }
                script.recover(opened);
            } finally {
                done += opened.executed() - before;
            }
            if (pauseNanos > 0) {
                LockSupport.parkNanos(pauseNanos);
            }
        }
    }

    /** Asks the worker to end after its current step. */
    void stop() {
        running = false;
    }

    /** Closes the connection under a worker that does not end. */
    void abort() {
        LoadSession current = session;
        if (current != null) {
            current.abort();
        }
    }
}
