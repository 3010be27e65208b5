package io.understudy.plugins.gtiddomain;

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
 * Looks at positions back to back for a moment while tables wait to pass to another domain. The poller's looks are so far apart that a
 * table written more often than it polls is never found free, though all of its writes are applied after each pause of some
 * milliseconds, long enough if they are longer than the standbys' lag and a look. On a thread of the plugin's executor; nobody waits for it.
 */
final class HandoverProbes {
    private static final Logger log = LoggerFactory.getLogger(HandoverProbes.class);

    /** A burst of looks lasts no longer. */
    static final long BURST_NANOS = 200_000_000L;

    /** Standbys that are later than this are late for other reasons than that they have just been sent something. */
    private static final long LATE_NANOS = 50_000_000L;
    /** While all that waits is being written: until the answer comes no look can help. */
    private static final long IN_FLIGHT_NANOS = 100_000L;

    /** Looks while a burst lasts. */
    interface Prober extends AutoCloseable {
        /** See {@link Positions.Session#look}. */
        void look() throws SQLException;

        @Override
        void close();
    }

    /** Whatever a burst needs. */
    interface Opener {
        Prober open() throws SQLException;
    }

    private final WaitingTables waiting;
    private final Progress progress;
    private final Opener opener;
    private final Executor executor;
    private final LongSupplier nanos;
    private final LongConsumer pause;
    private final AtomicBoolean running = new AtomicBoolean();
    private final LongAdder bursts = new LongAdder();
    private final LongAdder looks = new LongAdder();

    /** @param pause lets that many nanoseconds pass */
    HandoverProbes(
            WaitingTables waiting,
            Progress progress,
            Opener opener,
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

    long looks() {
        return looks.sum();
    }

    /** A burst goes on. Any thread. */
    boolean running() {
        return running.get();
    }

    private void wake() {
        if (!running.get() && running.compareAndSet(false, true)) {
            try {
                executor.execute(this::burst);
            } catch (RejectedExecutionException e) {
                running.set(false); // stopping, or so busy that this can wait as well
            }
        }
    }

    private void burst() {
        long began = nanos.getAsLong();
        bursts.increment();
        try (Prober probe = opener.open()) {
            look(probe, began);
        } catch (SQLException | RuntimeException e) {
            log.debug("gtid-domain: no look at positions: {}", e.toString()); // the poller says it aloud
        } finally {
            waiting.rest(nanos.getAsLong() - began);
            running.set(false);
        }
    }

    private void look(Prober probe, long began) throws SQLException {
        long first = progress.epoch();
        while (true) {
            long took = nanos.getAsLong() - began;
            WaitingTables.Look next = waiting.owners();
            if (took >= BURST_NANOS || took >= LATE_NANOS && !applies(next.owners(), first) || next.owners() == 0) {
                return;
            }
            if (next.promising()) {
                looks.increment();
                probe.look();
            } else {
                pause.accept(IN_FLIGHT_NANOS);
            }
        }
    }

    /** Whether the standbys have applied, of some domain that owns a waiting table, anything since the burst began. */
    private boolean applies(int owners, long first) {
        for (int left = owners; left != 0; left &= left - 1) {
            if (progress.applied(Integer.numberOfTrailingZeros(left)) >= first) {
                return true;
            }
        }
        return false;
    }
}
