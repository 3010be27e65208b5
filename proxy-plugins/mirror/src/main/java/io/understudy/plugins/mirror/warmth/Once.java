package io.understudy.plugins.mirror.warmth;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Asks another supplier at the first call, and returns the same value from then on. Thread-safe. */
final class Once<T> implements Supplier<T> {
    private final Supplier<T> source;
    private @Nullable T value;

    Once(Supplier<T> source) {
        this.source = source;
    }

    @Override
    public synchronized T get() {
        T known = value;
        if (known == null) {
            known = source.get();
            value = known;
        }
        return known;
    }
}
