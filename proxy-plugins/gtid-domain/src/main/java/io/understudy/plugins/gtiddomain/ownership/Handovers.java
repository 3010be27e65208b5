package io.understudy.plugins.gtiddomain.ownership;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts handovers, and has positions probed at the moment in which a table may become free: a write waits for it, and
 * the last of its writes in flight has just ended. The poller seldom meets such a moment of a busy table. However many
 * tables have one, the next probe comes {@link #PAUSE_MILLIS} after the one before; while no table waits there are
 * none. Thread-safe.
 */
public final class Handovers {
    static final long PAUSE_MILLIS = 20;

    private final ScheduledExecutorService executor;
    private final Runnable probe;
    private final AtomicBoolean busy = new AtomicBoolean();
    private final LongAdder handovers = new LongAdder();
    private final LongAdder probes = new LongAdder();

    /**
     * No write waits.
     *
     * @param probe compares the positions of primary and standbys; run by the executor, one at a time
     */
    public Handovers(ScheduledExecutorService executor, Runnable probe) {
        this.executor = executor;
        this.probe = probe;
    }

    /** Called when a table for which a write waits has no write in flight any more. No monitor is held. */
    void mayBecomeFree() {
        if (!busy.get() && busy.compareAndSet(false, true)) {
            try {
                executor.execute(this::run);
            } catch (RejectedExecutionException e) {
                busy.set(false); // stopping, or too busy: the poller probes, too
            }
        }
    }

    private void run() {
        try {
            probes.increment();
            probe.run();
        } finally {
            pause();
        }
    }

    /** A moment that comes meanwhile is missed; a busy table has many. */
    private void pause() {
        try {
            executor.schedule(() -> busy.set(false), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            busy.set(false);
        }
    }

    /** Called when a write's tables have gone to another domain than with the write before. */
    void handedOver() {
        handovers.increment();
    }

    /** Returns the number of handovers. */
    public long count() {
        return handovers.sum();
    }

    /** Returns the number of probes that writes have caused. */
    public long probes() {
        return probes.sum();
    }
}
