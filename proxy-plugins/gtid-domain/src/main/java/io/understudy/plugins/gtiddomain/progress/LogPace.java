package io.understudy.plugins.gtiddomain.progress;

import io.understudy.plugins.binlog.BinlogDump;
import java.util.function.LongSupplier;

/**
 * Decides how long the binary log may be left unread, so that a busy one does not cost a wake-up for each commit. For a
 * part of every second it is read as it arrives, which is enough to sample the standbys' apply times. {@link #counted}
 * and {@link #restNanos} are called on the dump connection's event loop.
 */
public final class LogPace {
    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final long SAMPLING_NANOS = 50_000_000L;
    /** Enough transactions read as they arrive. */
    private static final int SAMPLES = 32;
    /** Transactions per second from which a rest is worthwhile. */
    private static final int BUSY = 200;
    /**
     * Rests are this fraction of the poller's interval, so that a write is seldom known to be applied before it has
     * been read.
     */
    private static final int SHARE_OF_POLL = 10;

    private final LongSupplier nanos;
    private final long rest;
    private long second;
    private int transactions;
    private int samples;
    private boolean busy;

    public LogPace(LongSupplier nanos, long pollNanos) {
        this.nanos = nanos;
        rest = Math.min(BinlogDump.REST.toNanos(), pollNanos / SHARE_OF_POLL);
        second = nanos.getAsLong();
    }

    /**
     * Counts a transaction and returns whether to sample it: other subscribers may have more of them read as they
     * arrive than are needed here.
     */
    public boolean counted(boolean punctual) {
        transactions++;
        samples += punctual ? 1 : 0;
        return punctual && (!busy || samples <= SAMPLES);
    }

    /** See {@link io.understudy.plugin.ServerStream#restNanos}. */
    public long restNanos() {
        long into = nanos.getAsLong() - second;
        if (into >= SECOND_NANOS) {
            // A second without reads ends late and counts as a quiet one.
            busy = transactions >= BUSY && into < 2 * SECOND_NANOS;
            second += into;
            transactions = 0;
            samples = 0;
            into = 0;
        }
        boolean sampling = into < SAMPLING_NANOS && samples < SAMPLES;
        return busy && !sampling ? rest : 0;
    }
}
