package io.understudy.plugins.blackbox.lost;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a report, or its failure, for four times as long as it took, but for two seconds at most. Callers that repeat
 * it without end so take a fifth of one core, more only if a report takes longer than half a second. Thread-safe.
 */
public final class SparingReport implements Supplier<Object> {
    private static final int TIMES = 4;
    private static final long LONGEST_NANOS = Duration.ofSeconds(2).toNanos();

    private final Supplier<Object> source;
    private final LongSupplier nanoClock;
    /** Returns or throws what was made last; null at first. Guarded by this, as the next ones. */
    private @Nullable Supplier<Object> made;

    private long madeNanos;
    private long keptNanos;

    public SparingReport(Supplier<Object> source, LongSupplier nanoClock) {
        this.source = source;
        this.nanoClock = nanoClock;
    }

    /** Callers that arrive while it is made wait for it. */
    @Override
    public synchronized Object get() {
        long begun = nanoClock.getAsLong();
        Supplier<Object> known = made;
        if (known == null || begun - madeNanos >= keptNanos) {
            known = make();
            made = known;
            madeNanos = nanoClock.getAsLong();
            keptNanos = Math.min(TIMES * (madeNanos - begun), LONGEST_NANOS);
        }
        return known.get();
    }

    private Supplier<Object> make() {
        try {
            Object report = source.get();
            return () -> report;
        } catch (RuntimeException e) {
            return () -> {
                throw e;
            };
        }
    }
}
