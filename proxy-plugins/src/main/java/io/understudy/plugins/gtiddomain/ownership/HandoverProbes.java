package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.progress.PositionProber;
import io.understudy.plugins.gtiddomain.progress.Progress;
import java.sql.SQLException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Probes positions back to back for a short time (a burst) while tables wait for a handover. The poller's interval is
 * too long for a table written more often: it would never find the table free, although all of its writes are applied
 * in each pause of some milliseconds that exceeds the standbys' lag and one probe. Runs on a thread of the plugin's
 * executor; no session waits for it.
 */
final class HandoverProbes {
    private static final Logger log = LoggerFactory.getLogger(HandoverProbes.class);

    /** Longest duration of a burst. */
    static final long BURST_NANOS = 200_000_000L;

    /**
     * A burst ends early after this time without progress: the standbys lag for other reasons than a write just sent to
     * them.
     */
    private static final long LATE_NANOS = 50_000_000L;
    /** Pause while every waiting table has a write in flight: a probe cannot free it before the response. */
    private static final long IN_FLIGHT_NANOS = 100_000L;

    private final WaitingTables waiting;
    private final Progress progress;
    private final PositionProber.Opener opener;
    private final Executor executor;
    private final LongSupplier nanos;
    private final LongConsumer pause;
    private final AtomicBoolean running = new AtomicBoolean();
    private final LongAdder bursts = new LongAdder();
    private final LongAdder probes = new LongAdder();

    /** @param pause waits for the given number of nanoseconds */
    HandoverProbes(
            WaitingTables waiting,
            Progress progress,
            PositionProber.Opener opener,
            Executor executor,
            LongSupplier nanos,
            LongConsumer pause) {
        this.progress = progress;
        this.pause = pause;
        this.waiting = waiting;
        this.opener = opener;
        this.executor = executor;
        this.nanos = nanos;
        waiting.onWaiting(this::wake);
    }

    long bursts() {
        return bursts.sum();
    }

    long probes() {
        return probes.sum();
    }

    /** Returns whether a burst is running. Thread-safe. */
    boolean running() {
        return running.get();
    }

    private void wake() {
        if (!running.get() && running.compareAndSet(false, true)) {
            try {
                executor.execute(this::burst);
            } catch (RejectedExecutionException e) {
                running.set(false); // stopping, or too busy for a burst
            }
        }
    }

    private void burst() {
        long began = nanos.getAsLong();
        bursts.increment();
        try (PositionProber prober = opener.open()) {
            probe(prober, began);
        } catch (SQLException | RuntimeException e) {
            log.debug("gtid-domain: positions not probed: {}", e.toString()); // the poller warns about it
        } finally {
            waiting.rest(nanos.getAsLong() - began);
            running.set(false);
        }
    }

    private void probe(PositionProber prober, long began) throws SQLException {
        long first = progress.epoch();
        while (true) {
            long took = nanos.getAsLong() - began;
            WaitingTables.Owners next = waiting.owners();
            if (took >= BURST_NANOS || took >= LATE_NANOS && !applies(next.owners(), first) || next.owners() == 0) {
                return;
            }
            if (next.promising()) {
                probes.increment();
                prober.probe();
            } else {
                pause.accept(IN_FLIGHT_NANOS);
            }
        }
    }

    /**
     * Returns whether the standbys have applied any epoch since the burst began, in a domain that owns a waiting table.
     */
    private boolean applies(int owners, long first) {
        for (int left = owners; left != 0; left &= left - 1) {
            if (progress.applied(Integer.numberOfTrailingZeros(left)) >= first) {
                return true;
            }
        }
        return false;
    }
}
