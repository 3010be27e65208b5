package io.understudy.plugins.gtiddomain.catalog;

import java.util.function.LongSupplier;

/**
 * Decides when the data dictionary is read: when it may have changed or is a minute old, but not within a second of the
 * last read, and for at most a tenth of the time: reading a large dictionary loads the primary. A failed read counts as
 * time too. Used by one thread.
 */
final class CatalogPace {
    private static final long AGE_NANOS = 60_000_000_000L;
    private static final long RETRY_NANOS = 1_000_000_000L;
    private static final long SHARE = 10;

    private final LongSupplier nanos;
    private boolean tried;
    private boolean failed;
    private long beganNanos;
    private long endedNanos;

    CatalogPace(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /**
     * Returns whether to read now.
     *
     * @param stale whether the dictionary may have changed since it was read
     */
    boolean due(boolean stale) {
        if (!tried) {
            return true;
        }
        long age = nanos.getAsLong() - endedNanos;
        long pause = Math.max(RETRY_NANOS, (SHARE - 1) * (endedNanos - beganNanos));
        return age >= pause && (stale || failed || age >= AGE_NANOS);
    }

    void begin() {
        beganNanos = nanos.getAsLong();
    }

    void read() {
        end(false);
    }

    void failed() {
        end(true);
    }

    private void end(boolean failure) {
        endedNanos = nanos.getAsLong();
        tried = true;
        failed = failure;
    }
}
