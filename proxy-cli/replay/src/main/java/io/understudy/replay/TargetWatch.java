package io.understudy.replay;

import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.server.QueryPool;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Asks the target again and again whether it is still read-only. One that was and is no more has been promoted: it
 * serves an application now, and gets no replay.
 */
public final class TargetWatch implements AutoCloseable {
    private static final long INTERVAL_MILLIS = 400;
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private final ServerQueries target;
    private final Thread thread;
    private final boolean readOnly;
    private final int preparedStatements;
    private volatile boolean closed;

    private TargetWatch(ServerQueries target, Consumer<String> onWritable) throws SQLException {
        this.target = target;
        readOnly = target.isReadOnly();
        preparedStatements = (int) target.number("SELECT @@global.max_prepared_stmt_count");
        thread = new Thread(() -> watch(onWritable), "replay-target");
        thread.setDaemon(true);
        if (readOnly) {
            thread.start();
        }
    }

    /**
     * Connects and asks for the first time.
     *
     * @param onWritable called once with the reason to stop
     */
    public static TargetWatch start(
            Address target, String user, Secret password, ServerTlsConfig tls, Consumer<String> onWritable)
            throws SQLException {
        ServerQueries connection = QueryPool.connect(target, tls, user, password, TIMEOUT);
        try {
            return new TargetWatch(connection, onWritable);
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /** Returns whether the target was read-only at the start. */
    public boolean readOnly() {
        return readOnly;
    }

    /** Returns how many prepared statements all sessions of the target together may have. */
    public int preparedStatements() {
        return preparedStatements;
    }

    private void watch(Consumer<String> onWritable) {
        while (!closed) {
            try {
                if (!target.isReadOnly()) {
                    onWritable.accept("the target is no longer read-only: it was promoted");
                    return;
                }
                TimeUnit.MILLISECONDS.sleep(INTERVAL_MILLIS);
            } catch (InterruptedException e) {
                return;
            } catch (Throwable e) {
                // Whatever ends the watch ends what it guards.
                if (!closed) {
                    onWritable.accept("the target can no longer be asked whether it is read-only: " + e.getMessage());
                }
                return;
            }
        }
    }

    @Override
    public void close() throws SQLException {
        closed = true;
        thread.interrupt();
        target.close();
    }
}
