package io.understudy.rehearsal;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.metrics.LatencyHistogram;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.terminal.Table;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the figures of the running proxy.
 *
 * @param primaryView content of {@code /api/primary}
 * @param digestsView content of {@code /api/digests}; null without the plugin {@code query-log}
 */
record Readings(
        Supplier<Map<String, Object>> primaryView,
        LatencyHistograms histograms,
        MeterRegistry meters,
        Supplier<@Nullable Object> digestsView) {
    private static final String SERIES = "understudy_command_seconds";
    /** Ends and outcomes that are no failure. */
    private static final Set<String> WELL = Set.of("client_closed", "accepted", "passthrough", "committed");
    /** Ends of refused logins alone, which their outcomes tell more exactly. */
    private static final Set<String> TOLD_BY_OUTCOME = Set.of("primary_unreachable", "refused_by_proxy");
    /** Outcomes of logins whose sessions ended for a reason of another name. */
    private static final Set<String> TOLD_BY_END = Set.of("handshake_malformed", "closed_by_server_in_handshake");

    Map<String, Object> primary() {
        return primaryView.get();
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
        if (!(digestsView.get() instanceof Map<?, ?> view) || !(view.get("digests") instanceof List<?> rows)) {
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
                                Table.whole(row, "count"),
                                Table.whole(row, "errors"),
                                row.get("seconds") instanceof Map<?, ?> seconds ? Table.number(seconds, "total") : 0));
            }
        }
        return all;
    }

    /**
     * Sums since the proxy's start, read at one moment. Immutable.
     *
     * @param kinds buckets of each kind of statement, see {@link LatencyHistogram#addTo}
     * @param digests null without the plugin {@code query-log}
     */
    record Figures(
            long atMillis,
            Map<String, long[]> kinds,
            @Nullable Map<String, Digest> digests) {
        /**
         * Sums of one digest.
         *
         * @param text normalised, or null if it must not be shown
         */
        record Digest(String kind, @Nullable String text, long count, long errors, double seconds) {}
    }

    /**
     * One second's reading of what the proxy counts. Immutable.
     *
     * @param reachable whether the primary responded to its last probe
     * @param commands buckets of all commands since the start
     * @param failures refused connections and ended sessions since the start, by reason
     */
    record Sample(long atMillis, boolean reachable, long[] commands, Map<String, Long> failures) {
        /** Returns the buckets of what was added since an earlier reading. */
        long[] commandsSince(Sample before) {
            return difference(commands, before.commands);
        }

        static long[] difference(long[] now, long[] before) {
            long[] added = LatencyHistogram.noCounts();
            for (int i = 0; i < added.length; i++) {
                added[i] = now[i] - before[i];
            }
            return added;
        }

        static long count(long[] buckets) {
            return Arrays.stream(buckets).sum();
        }

        /** Returns the failures added since an earlier reading. */
        Map<String, Long> failuresSince(Sample before) {
            Map<String, Long> added = new TreeMap<>();
            failures.forEach((reason, count) -> {
                long more = count - before.failures.getOrDefault(reason, 0L);
                if (more > 0) {
                    added.put(reason, more);
                }
            });
            return added;
        }
    }
}
