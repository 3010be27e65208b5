package io.understudy.plugins.gtiddomain.ownership;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts handovers, and has positions probed soon after a write that waits for one: the poller would come too late for
 * a table that is written often, although all of its writes are applied in each pause that exceeds the standbys' lag
 * and one probe. However many writes wait, probes follow each other at {@link #PAUSE_MILLIS}; without any there are
 * none. Thread-safe.
 */
public final class Handovers {
    static final long PAUSE_MILLIS = 20;

    private final ScheduledExecutorService executor;
    private final Runnable probe;
    private final AtomicBoolean due = new AtomicBoolean();
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

    /**
     * Called when a write's tables would have gone to its rule's domain, had the owner's writes been applied
     * everywhere. No monitor is held.
     */
    void waits() {
        if (!due.get() && due.compareAndSet(false, true)) {
            try {
                executor.schedule(this::run, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException e) {
                due.set(false); // stopping, or too busy: the poller probes, too
            }
        }
    }

    private void run() {
        try {
            probes.increment();
            probe.run();
        } finally {
            due.set(false);
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
