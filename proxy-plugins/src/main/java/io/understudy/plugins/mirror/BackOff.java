package io.understudy.plugins.mirror;

import java.util.concurrent.ThreadLocalRandom;

/** How long to wait before the next attempt: longer after each failure up to a bound, and never twice the same. */
final class BackOff {
    /** A login costs as much as hundreds of statements, and nobody waits for a mirror. */
    private static final int FIRST_MILLIS = 1000;

    private static final int LAST_MILLIS = 10_000;
    private static final int DOUBLINGS = 4;

    private int failures;

    /** Counts a failure; true for the first since the last success, which is worth a line in the log. */
    boolean failed() {
        return failures++ == 0;
    }

    /** A connection was of use for a while. */
    void succeeded() {
        failures = 0;
    }

    /** Between half of the present bound and all of it, so that connections lost together do not come back together. */
    int delayMillis() {
        int limit = Math.min(LAST_MILLIS, FIRST_MILLIS << Math.min(Math.max(0, failures - 1), DOUBLINGS));
        return limit / 2 + ThreadLocalRandom.current().nextInt(limit / 2 + 1);
    }
}
