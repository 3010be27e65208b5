package io.understudy.plugins.capture;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counts of all captures of the process. Thread-safe. */
final class CaptureMeters {
    private final MeterRegistry registry;
    private final Counter captured;
    private final Counter dropped;
    private final Map<String, Counter> skipped = new ConcurrentHashMap<>();

    CaptureMeters(MeterRegistry registry) {
        this.registry = registry;
        captured = counter("captured");
        dropped = counter("dropped");
    }

    private Counter counter(String outcome) {
        return Counter.builder("understudy.capture.events")
                .description("Statements of captured sessions")
                .tag("outcome", outcome)
                .register(registry);
    }

    void captured(long count) {
        captured.increment((double) count);
    }

    /** Counts what waited when the capture broke off. */
    void dropped(long count) {
        dropped.increment((double) count);
    }

    /** @param reason from a bounded set */
    void skipped(String reason) {
        skipped.computeIfAbsent(reason, why -> counter("skipped_" + why)).increment();
    }

    Map<String, Long> skipped() {
        Map<String, Long> counts = new java.util.TreeMap<>();
        skipped.forEach((reason, counter) -> counts.put(reason, (long) counter.count()));
        return counts;
    }
}
