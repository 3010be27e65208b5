package io.understudy.plugins.mirror.playback;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.understudy.plugins.mirror.warmth.Estimate;
import io.understudy.plugins.mirror.warmth.StandbyWarmth;
import io.understudy.sql.StatementKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** The mirror's meters by their bounded labels. Only paths that are slow anyway find a meter by map. */
public final class MirrorMeters {
    private final MeterRegistry registry;
    private final MultiGauge samples;
    private final ConcurrentMap<String, Counter> skipped = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Counter> lookups = new ConcurrentHashMap<>();

    public MirrorMeters(MeterRegistry registry) {
        this.registry = registry;
        samples = MultiGauge.builder("understudy.mirror.sample.ratio")
                .description("The share mirrored now, fixed or adaptive")
                .register(registry);
    }

    private Counter counter(String name, String description, String... tags) {
        return Counter.builder(name).description(description).tags(tags).register(registry);
    }

    Counter executed(String standby, String rule, String outcome) {
        String description = "Statements executed on the standby";
        return counter(
                "understudy.mirror.statements", description, "standby", standby, "rule", rule, "outcome", outcome);
    }

    Counter dropped(String standby, String reason) {
        String description = "Statements chosen for mirroring but dropped";
        return counter("understudy.mirror.dropped", description, "standby", standby, "reason", reason);
    }

    /** Counts statements that are not fit for mirroring, by reason. */
    public Counter skipped(String reason) {
        return skipped.computeIfAbsent(
                reason,
                name -> counter("understudy.mirror.skipped", "Statements not fit for mirroring", "reason", name));
    }

    /** Returns the counts so far by reason, for the admin endpoint. */
    public Map<String, Long> skippedByReason() {
        Map<String, Long> counts = new TreeMap<>();
        skipped.forEach((reason, counter) -> counts.put(reason, (long) counter.count()));
        return counts;
    }

    /** Counts look-ups by the kind of the statement whose rows they read. */
    public Counter lookups(StatementKind kind) {
        return lookups.computeIfAbsent(
                kind.label(),
                name -> counter(
                        "understudy.mirror.lookups", "Reads sent in place of a write or a locking read", "kind", name));
    }

    Counter probes(String standby, String outcome) {
        String description = "Statements whose page reads were counted on the standby, or were to be";
        return counter("understudy.mirror.probes", description, "standby", standby, "outcome", outcome);
    }

    Counter sampleChanges(String standby, String reason) {
        String description = "Changes of the adaptive sample";
        return counter("understudy.mirror.sample.changes", description, "standby", standby, "reason", reason);
    }

    void warmth(StandbyWarmth warmth, String standby) {
        excess(warmth, standby, "estimate", Estimate::mean);
        excess(warmth, standby, "low", Estimate::low);
        excess(warmth, standby, "high", Estimate::high);
        Gauge.builder("understudy.standby.warmth", warmth, StandbyWarmth::warmth)
                .description("0 cold as after a restart, 1 as warm as the primary; NaN while unknown")
                .tag("standby", standby)
                .register(registry);
    }

    private void excess(StandbyWarmth warmth, String standby, String bound, ToDoubleFunction<Estimate> value) {
        Gauge.builder("understudy.standby.excess.pages", warmth, one -> value.applyAsDouble(one.excess()))
                .description("Page reads of a statement above those on the primary; NaN while unknown")
                .tag("standby", standby)
                .tag("bound", bound)
                .register(registry);
    }

    /** Replaces the gauges of the rules' samples. */
    public void samples(MirrorRules rules) {
        List<MultiGauge.Row<?>> rows = new ArrayList<>();
        for (int i = 0; i < rules.set().size(); i++) {
            MirrorRules.Bound rule = rules.set().rule(i);
            for (StandbyMirror standby : rule.targets()) {
                Tags tags = Tags.of("standby", standby.name(), "rule", rule.name());
                rows.add(MultiGauge.Row.of(tags, standby, rule::share));
            }
        }
        samples.register(rows, true);
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
