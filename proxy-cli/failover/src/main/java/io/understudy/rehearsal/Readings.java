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
    /** Ends of refused logins alone, which their outcomes tell more exactly. */
    private static final Set<String> TOLD_BY_OUTCOME = Set.of("primary_unreachable", "refused_by_proxy");
    /** Outcomes of logins whose sessions ended for a reason of another name. */
    private static final Set<String> TOLD_BY_END = Set.of("handshake_malformed", "closed_by_server_in_handshake");

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
        // A login that is refused is also a session that ends, mostly for a reason of the same name.
        Map<String, Long> failures = counts("understudy.sessions.closed", "reason", TOLD_BY_OUTCOME);
        counts("understudy.connections", "outcome", TOLD_BY_END)
                .forEach((reason, count) -> failures.merge(reason, count, Math::max));
        failures.putAll(counts("understudy.outcomes", "outcome", Set.of()));
        return new Sample(now, reachable, commands, failures);
    }

    private Map<String, Long> counts(String meter, String tag, Set<String> toldElsewhere) {
        Map<String, Long> counts = new HashMap<>();
        for (Counter counter : meters.find(meter).counters()) {
            String reason = String.valueOf(counter.getId().getTag(tag));
            if (!WELL.contains(reason) && !toldElsewhere.contains(reason)) {
                counts.merge(reason, (long) counter.count(), Long::sum);
            }
        }
        return counts;
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
