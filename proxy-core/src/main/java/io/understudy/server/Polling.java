package io.understudy.server;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a probe periodically: at the interval while the server responds; less and less often, with jitter, while it does
 * not. Probes never overlap.
 */
final class Polling {
    private static final Logger log = LoggerFactory.getLogger(Polling.class);

    /** Longest pause between probes of a server that is down. */
    static final Duration LONGEST = Duration.ofSeconds(30);

    private final ScheduledExecutorService executor;
    private final long intervalNanos;
    private final BooleanSupplier probe;
    private final DoubleSupplier random;

    private volatile boolean stopped;
    private int failures;

    /**
     * @param probe runs the probe and returns whether the server responded; may wait, so the executor must not be an
     *     event loop
     * @param random returns values from 0 to 1
     */
    Polling(ScheduledExecutorService executor, Duration interval, BooleanSupplier probe, DoubleSupplier random) {
        this.executor = executor;
        this.intervalNanos = interval.toNanos();
        this.probe = probe;
        this.random = random;
    }

    /** Starts polling; the first probe runs at once. */
    void start() {
        schedule(0);
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

    private void run() {
        if (stopped) {
            return;
        }
        boolean responded = false;
        try {
            responded = probe.getAsBoolean();
        } catch (RuntimeException e) {
            log.error("probing a server failed in the proxy itself", e);
        }
        failures = responded ? 0 : failures + 1;
        schedule(pause(failures));
    }

    /**
     * Returns the nanoseconds until the next probe: doubled with each failure after the first, and varied by up to a
     * quarter.
     */
    long pause(int failuresSoFar) {
        if (failuresSoFar == 0) {
            return intervalNanos;
        }
        long longest = Math.max(intervalNanos, LONGEST.toNanos());
        double wanted = intervalNanos * Math.pow(2, Math.min(failuresSoFar - 1, 30));
        return (long) (Math.min((double) longest, wanted) * (0.75 + 0.5 * random.getAsDouble()));
    }

    private void schedule(long nanos) {
        try {
            executor.schedule(this::run, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            stopped = true;
        }
    }
}
