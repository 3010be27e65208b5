package io.understudy.plugins.blackbox.outcome;

import io.understudy.plugins.binlog.TransactionKind;
import org.jspecify.annotations.Nullable;

/**
 * What is remembered of a transaction in the binary log.
 *
 * @param source see {@link ServerIdentity#isSource}
 * @param serverId server that first wrote it
 * @param thread connection id there; 0 if it is not logged
 * @param nanos monotonic time of its arrival; its command was sent before
 * @param run which of the server's runs wrote it, see {@link Runs}; {@link #UNKNOWN_RUN} if another server told of it
 * @param streamNanos monotonic time at which the stream began that brought it: a restart would have ended it
 * @param token the client's name for it in the texts with which MariaDB annotates rows; null if there is none
 */
public record Trace(
        String gtid,
        String source,
        long serverId,
        long number,
        long thread,
        TransactionKind kind,
        long nanos,
        int run,
        long streamNanos,
        @Nullable String token) {
    static final int UNKNOWN_RUN = -1;

    /** Returns whether a stream of the server's run at that time has brought it, if that was alive then. */
    boolean isOfRunAt(long timeNanos) {
        return run != UNKNOWN_RUN && streamNanos - timeNanos <= 0;
    }

    /** Returns the same as it arrived then. */
    Trace at(long arrivedNanos) {
        return new Trace(gtid, source, serverId, number, thread, kind, arrivedNanos, run, streamNanos, token);
    }

    /** Returns the same without its thread. */
    Trace nameless() {
        return new Trace(gtid, source, serverId, number, 0, kind, nanos, run, streamNanos, token);
    }

    boolean ofMySql() {
        return gtid.indexOf(':') >= 0;
    }
}
