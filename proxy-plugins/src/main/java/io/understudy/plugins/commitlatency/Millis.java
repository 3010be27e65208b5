package io.understudy.plugins.commitlatency;

/** Durations for people: milliseconds with three digits after the point. */
final class Millis {
    private Millis() {}

    static double of(long nanos) {
        return Math.round(nanos / 1_000.0) / 1_000.0;
    }
}
