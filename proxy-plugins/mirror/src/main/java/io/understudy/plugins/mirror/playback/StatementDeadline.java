package io.understudy.plugins.mirror.playback;

import io.understudy.plugin.ServerConnection;
import java.util.concurrent.TimeUnit;

/**
 * Kills the statement that a standby executes for one connection when the standby has not ended it in time. A
 * connection's first statements count as one. Statements begin and end on the connection's event loop; all methods are
 * thread-safe.
 */
final class StatementDeadline {
    /** Time beyond the timeout in which the standby may end a statement by itself. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Further time in which it may obey a KILL QUERY before its connection is killed. */
    private static final long KILL_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** When the standby began the current statement, or 0. */
    private volatile long sinceNanos;

    /** The {@link #sinceNanos} of the statement that is being killed, or 0. */
    private volatile long killedNanos;

    void begin(long nowNanos) {
        sinceNanos = nowNanos;
    }

    void end() {
        sinceNanos = 0;
    }

    /** Returns whether the current statement has been killed. */
    boolean killed() {
        return killedNanos != 0 && killedNanos == sinceNanos;
    }

    /** Returns how long the standby has been executing the current statement. */
    long nanos() {
        return System.nanoTime() - sinceNanos;
    }

    /**
     * Kills the statement if it is overdue, and its connection if that has not helped.
     *
     * @param first whether these are the connection's first statements, after which nothing could be sent anyway
     * @return whether it is overdue on a connection that has ended: nobody will report its end any more
     */
    boolean enforce(
            long nowNanos, long timeoutNanos, StandbyKiller killer, ServerConnection connection, boolean first) {
        long since = sinceNanos;
        if (since == 0) {
            return false;
        }
        long over = nowNanos - since - timeoutNanos - GRACE_NANOS;
        if (over > 0 && !connection.isOpen()) {
            return true;
        }
        if (over > (first ? 0 : KILL_NANOS)) {
            killer.killConnection(connection.threadId());
            connection.close(); // fails the pending responses, which counts them and reconnects
        } else if (over > 0 && killedNanos != since) {
            killedNanos = since;
            killer.killQuery(connection.threadId());
        }
        return false;
    }
}
