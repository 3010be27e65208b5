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
 * Runs a look at a server again and again: at the interval while it answers; less and less often, with jitter, while it does
 * not. One look at a time.
 */
final class Polling {
    private static final Logger log = LoggerFactory.getLogger(Polling.class);

    /** Longest pause between looks at a server that is down. */
    static final Duration LONGEST = Duration.ofSeconds(30);

    private final ScheduledExecutorService executor;
    private final long intervalNanos;
    private final BooleanSupplier look;
    private final DoubleSupplier random;

    private volatile boolean stopped;
    private int failures;

    /**
     * @param look true when the server answered; may wait, so the executor must not be an event loop
     * @param random from 0 to 1
     */
    Polling(ScheduledExecutorService executor, Duration interval, BooleanSupplier look, DoubleSupplier random) {
        this.executor = executor;
        this.intervalNanos = interval.toNanos();
        this.look = look;
        this.random = random;
    }

    /** The first look comes at once. */
    void start() {
        schedule(0);
    }

    void stop() {
        stopped = true;
    }

    /** What a look under way finds now says nothing about the server: it is being interrupted. */
    boolean stopped() {
        return stopped;
    }

    private void run() {
        if (stopped) {
            return;
        }
        boolean answered = false;
        try {
            answered = look.getAsBoolean();
        } catch (RuntimeException e) {
            log.error("a look at a server failed in the proxy itself", e);
        }
        failures = answered ? 0 : failures + 1;
        schedule(pause(failures));
    }

    /** Nanoseconds until the next look: doubled with each failure after the first, up to a quarter more or less. */
    long pause(int failuresSoFar) {
        if (failuresSoFar == 0) {
            return intervalNanos;
        }
        long longest = Math.max(intervalNanos, LONGEST.toNanos());
        double wanted = intervalNanos * Math.pow(2, Math.min(failuresSoFar - 1, 30));
        return (long) (Math.min(longest, wanted) * (0.75 + 0.5 * random.getAsDouble()));
    }

    private void schedule(long nanos) {
        try {
            executor.schedule(this::run, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            stopped = true;
        }
    }
}
