package io.understudy.plugins.commitlatency;

import java.time.Clock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says when the wall clock was set. Durations come from the monotonic clock and do not change by that; the times of day of
 * exposure windows do, and whoever compares them with other logs must know. On the worker only.
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

    /** Compares the two clocks; to be called often, as a slow drift between two calls is no step. */
    void look() {
        long now = offset();
        long step = now - offset;
        offset = now;
        if (Math.abs(step) >= LEAST_MILLIS) {
            log.warn(
                    "the wall clock was set {} by {} ms: latencies are not affected, but times of day in the log of what was"
                            + " unacknowledged are by the new clock from now on; if nobody set it, look at the machine's time"
                            + " synchronisation",
                    step > 0 ? "forward" : "back",
                    Math.abs(step));
        }
    }
}
