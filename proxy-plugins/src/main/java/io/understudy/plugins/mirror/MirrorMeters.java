package io.understudy.plugins.mirror;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

/** The mirror's meters by their bounded labels. Only paths that are slow anyway find a meter by map. */
final class MirrorMeters {
    private final MeterRegistry registry;
    private final ConcurrentMap<String, Counter> skipped = new ConcurrentHashMap<>();

    MirrorMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    Counter executed(String standby, String rule, String outcome) {
        return Counter.builder("understudy.mirror.statements")
                .description("Statements executed on the standby")
                .tag("standby", standby)
                .tag("rule", rule)
                .tag("outcome", outcome)
                .register(registry);
    }

    Counter dropped(String standby, String reason) {
        return Counter.builder("understudy.mirror.dropped")
                .description("Statements chosen for mirroring but dropped")
                .tag("standby", standby)
                .tag("reason", reason)
                .register(registry);
    }

    /** Counts statements that are not fit for mirroring, by reason. */
    Counter skipped(String reason) {
        return skipped.computeIfAbsent(
                reason,
                name -> Counter.builder("understudy.mirror.skipped")
                        .description("Statements not fit for mirroring")
                        .tag("reason", name)
                        .register(registry));
    }

    /** Returns the counts so far by reason, for the admin endpoint. */
    Map<String, Long> skippedByReason() {
        Map<String, Long> counts = new java.util.TreeMap<>();
        skipped.forEach((reason, counter) -> counts.put(reason, (long) counter.count()));
        return counts;
    }

    void waiting(String standby, Supplier<Number> statements, Supplier<Number> bytes) {
        Gauge.builder("understudy.mirror.queue.statements", statements)
                .description("Statements waiting for the standby")
                .tag("standby", standby)
                .register(registry);
        Gauge.builder("understudy.mirror.queue.bytes", bytes)
                .description("Bytes waiting for the standby")
                .baseUnit(null)
                .tag("standby", standby)
                .register(registry);
    }
}
