package io.understudy.server;

import io.understudy.base.NoTask;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a probe periodically, at the same interval whether the server responds or not: a server that is back must be
 * noticed at once. The interval is measured from start to start. Probes never overlap. Thread-safe.
 */
final class Polling {
    private static final Logger log = LoggerFactory.getLogger(Polling.class);

    /** Least time between the starts of two probes, however often one is requested. */
    private static final long LEAST_NANOS = Duration.ofMillis(50).toNanos();

    private final ScheduledExecutorService executor;
    private final LongSupplier intervalNanos;
    private final Runnable probe;

    private volatile boolean stopped;
    /** The rest is guarded by this. */
    private Future<?> next = NoTask.NONE;

    /** The number of the run that is next: one that a thread has just begun may have been replaced. */
    private long scheduled;

    private boolean running;
    private boolean requested;
    private long begunNanos;

    /** @param probe may wait, so the executor must not be an event loop */
    Polling(ScheduledExecutorService executor, Duration interval, Runnable probe) {
        this(executor, interval::toNanos, probe);
    }

    /** @param intervalNanos called after each probe */
    Polling(ScheduledExecutorService executor, LongSupplier intervalNanos, Runnable probe) {
        this.executor = executor;
        this.intervalNanos = intervalNanos;
        this.probe = probe;
    }

    /** Starts polling; the first probe runs at once. */
    synchronized void start() {
        schedule(0);
    }

    /** Requests the next probe now. Does not wait. */
    synchronized void soon() {
        if (running) {
            requested = true;
            return;
        }
        // True as well for a task that has begun and waits for this lock.
        if (next.cancel(false)) {
            schedule(LEAST_NANOS - (System.nanoTime() - begunNanos));
        }
    }

    void stop() {
        stopped = true;
    }

    /**
     * Returns whether polling has stopped. The result of a probe in progress then says nothing about the server,
     * because the probe is being interrupted.
     */
    boolean stopped() {
        return stopped;
    }

    private void run(long number) {
        synchronized (this) {
            if (stopped || number != scheduled) {
                return;
            }
            running = true;
            requested = false;
            begunNanos = System.nanoTime();
        }
        try {
            probe.run();
        } catch (RuntimeException | Error e) {
            log.error("probing a server failed in the proxy itself", e);
        }
        synchronized (this) {
            running = false;
            long interval = requested ? LEAST_NANOS : intervalNanos.getAsLong();
            schedule(interval - (System.nanoTime() - begunNanos));
        }
    }

    private void schedule(long nanos) {
        long number = ++scheduled;
        try {
            next = executor.schedule(() -> run(number), Math.max(0, nanos), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            stopped = true;
        }
    }
}
