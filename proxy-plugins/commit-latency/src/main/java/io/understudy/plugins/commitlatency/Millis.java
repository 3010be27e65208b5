package io.understudy.plugins.commitlatency;

/** Formats durations as milliseconds with three decimals. */
final class Millis {
    private Millis() {}

    static double of(long nanos) {
        return Math.round(nanos / 1_000.0) / 1_000.0;
    }
}
