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
    public Counter skipped(String reason) {
        return skipped.computeIfAbsent(
                reason,
                name -> Counter.builder("understudy.mirror.skipped")
                        .description("Statements not fit for mirroring")
                        .tag("reason", name)
                        .register(registry));
    }

    /** Returns the counts so far by reason, for the admin endpoint. */
    public Map<String, Long> skippedByReason() {
        Map<String, Long> counts = new java.util.TreeMap<>();
        skipped.forEach((reason, counter) -> counts.put(reason, (long) counter.count()));
        return counts;
    }

    /** Counts look-ups by the kind of the statement whose rows they read. */
    public Counter lookups(StatementKind kind) {
        return lookups.computeIfAbsent(
                kind.label(),
                name -> Counter.builder("understudy.mirror.lookups")
                        .description("Reads sent in place of a write or a locking read")
                        .tag("kind", name)
                        .register(registry));
    }

    Counter probes(String standby, String outcome) {
        return Counter.builder("understudy.mirror.probes")
                .description("Statements whose page reads were counted on the standby, or were to be")
                .tag("standby", standby)
                .tag("outcome", outcome)
                .register(registry);
    }

    Counter sampleChanges(String standby, String reason) {
        return Counter.builder("understudy.mirror.sample.changes")
                .description("Changes of the adaptive sample")
                .tag("standby", standby)
                .tag("reason", reason)
                .register(registry);
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
