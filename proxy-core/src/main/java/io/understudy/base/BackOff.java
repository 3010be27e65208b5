package io.understudy.base;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Pauses between attempts: each twice as long as the one before, up to a bound. Not thread-safe. */
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

    /** Pauses of exactly {@code first}, twice that, and so on. */
    public static BackOff exact(Duration first, Duration longest) {
        return new BackOff(first, longest, false);
    }

    /** Pauses between half of that and all of it, so that connections lost together do not come back together. */
    public static BackOff spread(Duration first, Duration longest) {
        return new BackOff(first, longest, true);
    }

    /** Whether nothing has failed since the last {@link #reset}. */
    public boolean fresh() {
        return failures == 0;
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

    /** It has worked. */
    public void reset() {
        failures = 0;
    }
}
