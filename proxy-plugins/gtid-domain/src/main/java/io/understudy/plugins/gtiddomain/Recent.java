package io.understudy.plugins.gtiddomain;

import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A value that costs some time to compute, and that many ask for: it may be a little old. Thread-safe. */
final class Recent<T> implements Supplier<T> {
    private final Supplier<T> source;
    private final long freshNanos;
    private final LongSupplier nanos;
    private @Nullable T last;
    private long lastNanos;

    Recent(Supplier<T> source, long freshNanos, LongSupplier nanos) {
        this.source = source;
        this.freshNanos = freshNanos;
        this.nanos = nanos;
    }

    @Override
    public synchronized T get() {
        long now = nanos.getAsLong();
        T present = last;
        if (present == null || now - lastNanos >= freshNanos) {
            present = source.get();
            last = present;
            lastNanos = now;
        }
        return present;
    }
}
