package io.understudy.session;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Limits a warning that every session of an outage would log: one line for each text in ten seconds. Thread-safe. */
final class RepeatedWarning {
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LongSupplier nanoClock;
    private @Nullable String last;
    private long loggedNanos;
    private long suppressed;

    RepeatedWarning(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Returns how often the text was suppressed since it was last logged, or -1 if it is to be suppressed now. */
    synchronized long mayLog(String text) {
        long now = nanoClock.getAsLong();
        boolean same = text.equals(last);
        if (same && now - loggedNanos < INTERVAL_NANOS) {
            suppressed++;
            return -1;
        }
        long count = same ? suppressed : 0;
        last = text;
        loggedNanos = now;
        suppressed = 0;
        return count;
    }
}
