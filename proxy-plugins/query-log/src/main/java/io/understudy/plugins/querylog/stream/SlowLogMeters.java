package io.understudy.plugins.querylog.stream;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counts of the stream. Thread-safe. */
final class SlowLogMeters {
    private final MeterRegistry registry;
    private final Counter queued;
    private final Counter dropped;
    private final Map<String, Counter> skipped = new ConcurrentHashMap<>();

    SlowLogMeters(MeterRegistry registry) {
        this.registry = registry;
        queued = counter("queued");
        dropped = counter("dropped");
    }

    private Counter counter(String outcome) {
        return Counter.builder("understudy.slowlog.events")
                .description("Events of the slow-log stream, for each reader")
                .tag("outcome", outcome)
                .register(registry);
    }

    void queued() {
        queued.increment();
    }

    void dropped() {
        dropped.increment();
    }

    /** @param reason from a bounded set */
    void skipped(String reason) {
        skipped.computeIfAbsent(reason, why -> counter("skipped_" + why)).increment();
    }
}
