package io.understudy.rebuild;

import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** MySQL's {@code super_read_only}, which is 0 during a rebuild and 1 again at its end. */
final class SuperReadOnly {
    private static final String RAISE = "SET GLOBAL super_read_only = 1";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final StandbyQueries standby;
    private final Connecting connecting;
    private final ProgressOutput journal;
    private final Duration patience;
    private final Duration retry;
    private volatile boolean low;

    /** Opens a further connection to the same server. */
    interface Connecting {
        Connection open() throws SQLException;
    }

    SuperReadOnly(StandbyQueries standby, Connecting connecting, ProgressOutput journal) {
        this(standby, connecting, journal, PATIENCE, RETRY);
    }

    /**
     * @param patience how long a server that cannot be reached is tried again
     * @param retry the time between two tries
     */
    SuperReadOnly(
            StandbyQueries standby, Connecting connecting, ProgressOutput journal, Duration patience, Duration retry) {
        this.standby = standby;
        this.connecting = connecting;
        this.journal = journal;
        this.patience = patience;
        this.retry = retry;
    }

    /** Sets it to 0. The caller calls {@link #raise} afterwards, also if this fails. */
    void lower() throws SQLException, Refused {
        low = true;
        standby.queries().execute("SET GLOBAL super_read_only = 0");
        if (!standby.readOnly()) {
            standby.queries().execute(RAISE);
            throw new Refused("read_only went off with super_read_only; both are on again, and nothing was done");
        }
        journal.line("super_read_only is 0 until the end, read_only stays 1; should this process be killed: " + RAISE);
    }

    /** Returns the statement for the operator if the program ends now; empty if nothing is to be done. Thread-safe. */
    String left() {
        return low ? "super_read_only is still 0; there: " + RAISE : "";
    }

    /**
     * Sets it to 1, over a connection of its own if the standby's is lost. Tries again for some time if the server
     * cannot be reached.
     */
    void raise() throws SQLException {
        long deadline = System.nanoTime() + patience.toNanos();
        boolean said = false;
        while (true) {
            try {
                raiseOnce();
                low = false;
                return;
            } catch (SQLException e) {
                boolean over = System.nanoTime() - deadline >= 0 || !pause();
                if (over || !said) {
                    said = true;
                    journal.line("super_read_only is still 0 (" + e.getMessage() + "); there: " + RAISE
                            + (over ? "" : "; trying again for " + patience.toSeconds() + " s"));
                }
                if (over) {
                    throw e;
                }
            }
        }
    }

    /** Returns false if the thread is to end. */
    private boolean pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(retry.toMillis());
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void raiseOnce() throws SQLException {
        try {
            raise(standby);
        } catch (SQLException lost) {
            try (Connection own = connecting.open()) {
                raise(new StandbyQueries(new ServerQueries(own)));
            } catch (SQLException e) {
                e.addSuppressed(lost);
                throw e;
            }
        }
    }

    /** Leaves a server alone that was made writable meanwhile: the statement would also set its read_only. */
    private void raise(StandbyQueries server) throws SQLException {
        if (!server.readOnly()) {
            journal.line("super_read_only stays 0: this server was made writable meanwhile");
            return;
        }
        server.queries().execute(RAISE);
        journal.line("super_read_only is 1 again");
    }
}
