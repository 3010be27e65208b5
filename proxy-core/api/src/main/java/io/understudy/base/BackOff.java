package io.understudy.base;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Pauses between attempts: each twice as long as the previous one, up to a bound. Not thread-safe. */
public final class BackOff {
    private final Duration first;
    private final Duration longest;
    private final boolean spread;
    private int failures;

    private BackOff(Duration first, Duration longest, boolean spread) {
        this.first = first;
        this.longest = longest;
        this.spread = spread;
    }

    /** Creates pauses of exactly {@code first}, twice that, and so on. */
    public static BackOff exact(Duration first, Duration longest) {
        return new BackOff(first, longest, false);
    }

    /** Creates pauses of a random half to all of that, so that connections lost together do not return together. */
    public static BackOff spread(Duration first, Duration longest) {
        return new BackOff(first, longest, true);
    }

    /** Counts a failure and returns the pause before the next attempt. */
    public Duration next() {
        long limit = first.toMillis();
        for (int i = 0; i < failures && limit < longest.toMillis(); i++) {
            limit *= 2;
        }
        failures++;
        limit = Math.min(limit, longest.toMillis());
        return Duration.ofMillis(
                spread ? limit / 2 + ThreadLocalRandom.current().nextLong(limit / 2 + 1) : limit);
    }

    /** Records a success. */
    public void reset() {
        failures = 0;
    }
}
