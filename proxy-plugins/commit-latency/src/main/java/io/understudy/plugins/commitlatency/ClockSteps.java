package io.understudy.plugins.commitlatency;

import java.time.Clock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs steps of the wall clock. Durations come from the monotonic clock and are not affected, but the times of day of
 * exposure windows are. Used by the worker only.
 */
final class ClockSteps {
    private static final Logger log = LoggerFactory.getLogger(ClockSteps.class);
    private static final long LEAST_MILLIS = 1_000;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Clock clock;
    private final LongSupplier nanoClock;
    private long offset;

    ClockSteps(Clock clock, LongSupplier nanoClock) {
        this.clock = clock;
        this.nanoClock = nanoClock;
        offset = offset();
    }

    private long offset() {
        return clock.millis() - nanoClock.getAsLong() / NANOS_PER_MILLI;
    }

    /**
     * Compares the two clocks. Must be called often, so that a slow drift between two calls does not count as a step.
     */
    void check() {
        long now = offset();
        long step = now - offset;
        offset = now;
        if (Math.abs(step) >= LEAST_MILLIS) {
            log.warn(
                    "the wall clock was set {} by {} ms: latencies are not affected, but times of day in the log of"
                            + " what was"
                            + " unacknowledged are by the new clock from now on; if nobody set it, check the"
                            + " machine's time"
                            + " synchronisation",
                    step > 0 ? "forward" : "back",
                    Math.abs(step));
        }
    }
}
