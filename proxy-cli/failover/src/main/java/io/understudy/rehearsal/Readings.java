package io.understudy.rehearsal;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.metrics.LatencyHistogram;
import io.understudy.metrics.LatencyHistograms;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads the figures of the running proxy. */
final class Readings {
    private static final String SERIES = "understudy_command_seconds";
    /** Ends and outcomes that are no failure. */
    private static final Set<String> WELL = Set.of("client_closed", "accepted", "passthrough", "committed");

    private final Supplier<Map<String, Object>> primary;
    private final LatencyHistograms histograms;
    private final MeterRegistry meters;
    private final Supplier<@Nullable Object> digests;

    /**
     * @param primary content of {@code /api/primary}
     * @param digests content of {@code /api/digests}; null without the plugin {@code query-log}
     */
    Readings(
            Supplier<Map<String, Object>> primary,
            LatencyHistograms histograms,
            MeterRegistry meters,
            Supplier<@Nullable Object> digests) {
        this.primary = primary;
        this.histograms = histograms;
        this.meters = meters;
        this.digests = digests;
    }

    Map<String, Object> primary() {
        return primary.get();
    }

    Sample sample(long now, boolean reachable) {
        long[] commands = LatencyHistogram.noCounts();
        for (LatencyHistograms.Series series : histograms.all()) {
            if (series.name().equals(SERIES)) {
                series.histogram().addTo(commands);
            }
        }
        Map<String, Long> failures = new HashMap<>();
        count("understudy.sessions.closed", "reason", failures);
        count("understudy.connections", "outcome", failures);
        count("understudy.outcomes", "outcome", failures);
        return new Sample(now, reachable, commands, failures);
    }

    private void count(String meter, String tag, Map<String, Long> failures) {
        for (Counter counter : meters.find(meter).counters()) {
            String reason = String.valueOf(counter.getId().getTag(tag));
            if (!WELL.contains(reason)) {
                failures.merge(reason, (long) counter.count(), Long::sum);
            }
        }
    }

    Figures figures(long now) {
        Map<String, long[]> kinds = new HashMap<>();
        for (LatencyHistograms.Series series : histograms.all()) {
            if (series.name().equals(SERIES)) {
                long[] buckets = LatencyHistogram.noCounts();
                series.histogram().addTo(buckets);
                if (Sample.count(buckets) > 0) {
                    kinds.put(series.tags().getOrDefault("kind", ""), buckets);
                }
            }
        }
        return new Figures(now, kinds, digests());
    }

    private @Nullable Map<String, Figures.Digest> digests() {
        if (!(digests.get() instanceof Map<?, ?> view) || !(view.get("digests") instanceof List<?> rows)) {
            return null;
        }
        Map<String, Figures.Digest> all = new HashMap<>();
        for (Object each : rows) {
            if (each instanceof Map<?, ?> row && row.get("digest") instanceof String digest) {
                all.put(
                        digest,
                        new Figures.Digest(
                                String.valueOf(row.get("kind")),
                                row.get("text") instanceof String text ? text : null,
                                number(row.get("count")).longValue(),
                                number(row.get("errors")).longValue(),
                                row.get("seconds") instanceof Map<?, ?> seconds
                                        ? number(seconds.get("total")).doubleValue()
                                        : 0));
            }
        }
        return all;
    }

    private static Number number(@Nullable Object value) {
        return value instanceof Number number ? number : 0L;
    }
}
