package io.understudy.plugins.blackbox;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Decides when a warning that may be due often is logged: at most once a minute. Not thread-safe. */
final class RareWarning {
    private static final long INTERVAL = Duration.ofMinutes(1).toNanos();

    private final LongSupplier nanoClock;
    private boolean logged;
    private long lastNanos;

    RareWarning(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Returns whether it is to be logged now. */
    boolean due() {
        long now = nanoClock.getAsLong();
        boolean due = !logged || now - lastNanos >= INTERVAL;
        if (due) {
            logged = true;
            lastNanos = now;
        }
        return due;
    }
}
