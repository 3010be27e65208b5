package io.understudy.plugins.blackbox;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Decides when a warning that may be due often is logged: at most once a minute. Not thread-safe. */
final class RareWarning {
    private static final long INTERVAL = Duration.ofMinutes(1).toNanos();

    private final LongSupplier nanoClock;
    /** When it was last logged; null: never. */
    private @Nullable Long lastNanos;

    RareWarning(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Returns whether it is to be logged now. */
    boolean due() {
        long now = nanoClock.getAsLong();
        Long last = lastNanos;
        boolean due = last == null || now - last >= INTERVAL;
        if (due) {
            lastNanos = now;
        }
        return due;
    }
}
