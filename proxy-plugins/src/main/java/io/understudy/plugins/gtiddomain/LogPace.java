package io.understudy.plugins.gtiddomain;

import io.understudy.plugins.binlog.BinlogDump;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * How long the binary log may be left unread, so that a busy one does not cost a wake-up for each commit. A moment of every second it
 * is read as it arrives, which is enough to sample how long the standbys take. {@link #counted} and {@link #restNanos} on the dump
 * connection's event loop.
 */
final class LogPace {
    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final long SAMPLING_NANOS = 50_000_000L;
    /** So many read as they arrive are enough. */
    private static final int SAMPLES = 32;
    /** Transactions a second from which on resting is worth anything. */
    private static final int BUSY = 200;
    /** A part of the poller's pause, so that a write is seldom known to be applied before it has been read. */
    private static final int SHARE_OF_POLL = 10;

    private final LongSupplier nanos;
    private final BooleanSupplier urgent;
    private final long rest;
    private long second;
    private int transactions;
    private int samples;
    private boolean busy;

    /** @param urgent somebody waits for a moment to pass a table on, before which the log should have been read */
    LogPace(LongSupplier nanos, long pollNanos, BooleanSupplier urgent) {
        this.nanos = nanos;
        this.urgent = urgent;
        rest = Math.min(BinlogDump.REST.toNanos(), pollNanos / SHARE_OF_POLL);
        second = nanos.getAsLong();
    }

    /** Another transaction was read. Returns whether to sample it: others may have more read as it arrives than is of use here. */
    boolean counted(boolean punctual) {
        transactions++;
        samples += punctual ? 1 : 0;
        return punctual && (!busy || samples <= SAMPLES);
    }

    /** See {@link io.understudy.plugin.ServerStream#restNanos}. */
    long restNanos() {
        long into = nanos.getAsLong() - second;
        if (into >= SECOND_NANOS) {
            // A second in which nothing was read ends late and counts as what it was: a quiet one.
            busy = transactions >= BUSY && into < 2 * SECOND_NANOS;
            second += into;
            transactions = 0;
            samples = 0;
            into = 0;
        }
        boolean sampling = into < SAMPLING_NANOS && samples < SAMPLES;
        return busy && !sampling && !urgent.getAsBoolean() ? rest : 0;
    }
}
