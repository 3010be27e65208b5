package io.understudy.rehearsal;

import io.understudy.metrics.LatencyHistogram;
import io.understudy.rehearsal.Readings.Figures;
import io.understudy.rehearsal.Readings.Sample;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One change of the primary with what it did to the clients. Guarded by its recorder. */
final class Change {
    /** Time after the change whose latencies are compared with those before, and whose errors are counted. */
    private static final long AFTER_MILLIS = 60_000;
    /** Longest time that the load may take to become steady. */
    private static final long STEADY_MILLIS = 600_000;

    private static final int MOST_DIGESTS = 100;
    private static final Figures.Digest NONE = new Figures.Digest("", null, 0, 0, 0);

    private record Row(Map<String, @Nullable Object> view, double added) {}

    private final Map<String, Object> head = new LinkedHashMap<>();
    private final long atMillis;
    private final @Nullable Long awaySinceMillis;
    private final @Nullable Figures baseline;
    private final @Nullable Figures untilChange;
    private final Figures atChange;
    private final Steadiness steadiness;
    private final Map<String, Long> failures = new TreeMap<>();
    private Figures latest;
    private long seenMillis;
    private boolean ended;

    /**
     * @param awaySinceMillis since when the old primary did not respond; null if it did until the change
     * @param baseline the oldest figures of the last minute before the trouble; null if there are none
     * @param untilChange the newest figures before the trouble
     * @param atChange figures at the change
     */
    Change(
            String from,
            String to,
            String reason,
            Instant at,
            @Nullable Long awaySinceMillis,
            @Nullable Figures baseline,
            @Nullable Figures untilChange,
            Figures atChange,
            Steadiness steadiness) {
        atMillis = at.toEpochMilli();
        this.awaySinceMillis = awaySinceMillis;
        this.baseline = baseline;
        this.untilChange = untilChange;
        this.atChange = atChange;
        this.steadiness = steadiness;
        latest = atChange;
        head.put("from", from);
        head.put("to", to);
        head.put("reason", reason);
        head.put("at", at.toString());
    }

    void failed(Map<String, Long> more) {
        more.forEach((reason, count) -> failures.merge(reason, count, Long::sum));
    }

    /** Takes the reading of a second. */
    void add(Sample before, Sample now) {
        long after = before.atMillis() - atMillis;
        seenMillis = Math.max(seenMillis, after);
        Map<String, Long> failed = now.failuresSince(before);
        if (!ended && after < STEADY_MILLIS) {
            steadiness.add(now.commandsSince(before), !failed.isEmpty(), now.atMillis() - before.atMillis(), after);
        }
        if (!ended && after < AFTER_MILLIS) {
            failed(failed);
        }
    }

    /** Takes newer figures, until the time that is compared is over. */
    void figures(Figures figures) {
        if (!ended && latest.atMillis() - atMillis < AFTER_MILLIS) {
            latest = figures;
        }
    }

    /** Ends the comparison, because the primary changes again. */
    void end() {
        ended = true;
    }

    private String steady() {
        if (steadiness.seconds() != null) {
            return "yes";
        }
        if (!steadiness.comparable()) {
            return "no_load_before";
        }
        if (steadiness.isSilent()) {
            return "clients_stopped";
        }
        return ended || seenMillis >= STEADY_MILLIS ? "no" : "not_yet";
    }

    /** @param texts whether the normalised texts are shown */
    Map<String, @Nullable Object> view(boolean texts) {
        Map<String, @Nullable Object> view = new LinkedHashMap<>(head);
        view.put(
                "unreachableSecondsBefore",
                awaySinceMillis == null ? null : Math.max(0, atMillis - awaySinceMillis) / 1e3);
        view.put("steadyAfterSeconds", steadiness.seconds());
        view.put("steady", steady());
        view.put("commandsPerSecondBefore", Math.round(steadiness.rate() * 10) / 10.0);
        view.put("errors", new TreeMap<>(failures));
        view.put("secondsBefore", baseline == null || untilChange == null ? 0.0 : seconds(baseline, untilChange));
        view.put("secondsAfter", seconds(atChange, latest));
        view.put("kinds", kinds());
        view.put("digests", digests(texts));
        return view;
    }

    private static double seconds(Figures from, Figures to) {
        return (to.atMillis() - from.atMillis()) / 1e3;
    }

    /** Returns each kind of statement with its percentiles. */
    private List<Map<String, @Nullable Object>> kinds() {
        List<Map<String, @Nullable Object>> rows = new ArrayList<>();
        for (String kind : new TreeSet<>(latest.kinds().keySet())) {
            long[] before = baseline == null || untilChange == null
                    ? LatencyHistogram.noCounts()
                    : added(kind, baseline, untilChange);
            long[] after = added(kind, atChange, latest);
            if (Sample.count(before) + Sample.count(after) > 0) {
                Map<String, @Nullable Object> row = new LinkedHashMap<>();
                row.put("kind", kind);
                row.put("before", percentiles(before));
                row.put("after", percentiles(after));
                rows.add(row);
            }
        }
        return rows;
    }

    private static long[] added(String kind, Figures from, Figures to) {
        long[] none = LatencyHistogram.noCounts();
        return Sample.difference(
                to.kinds().getOrDefault(kind, none), from.kinds().getOrDefault(kind, none));
    }

    private static Map<String, @Nullable Object> percentiles(long[] buckets) {
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        long count = Sample.count(buckets);
        view.put("count", count);
        view.put("p50Seconds", count == 0 ? null : LatencyHistogram.percentile(buckets, 0.5) / 1e9);
        view.put("p95Seconds", count == 0 ? null : LatencyHistogram.percentile(buckets, 0.95) / 1e9);
        view.put("p99Seconds", count == 0 ? null : LatencyHistogram.percentile(buckets, 0.99) / 1e9);
        return view;
    }

    /** Returns the digests, those first that cost most time more than before; null without {@code query-log}. */
    private @Nullable List<Map<String, @Nullable Object>> digests(boolean texts) {
        Map<String, Figures.Digest> end = latest.digests();
        if (end == null) {
            return null;
        }
        List<Row> rows = new ArrayList<>();
        end.forEach((digest, last) -> {
            Figures.Digest after = minus(last, of(atChange, digest));
            Figures.Digest before = untilChange == null ? NONE : minus(of(untilChange, digest), of(baseline, digest));
            if (after.count() + before.count() > 0) {
                Map<String, @Nullable Object> row = new LinkedHashMap<>();
                row.put("digest", digest);
                row.put("kind", last.kind());
                if (texts) {
                    row.put("text", last.text());
                }
                row.put("before", shown(before));
                row.put("after", shown(after));
                rows.add(new Row(row, before.count() == 0 ? 0 : (mean(after) - mean(before)) * after.count()));
            }
        });
        return rows.stream()
                .sorted(Comparator.comparingDouble(Row::added).reversed())
                .limit(MOST_DIGESTS)
                .map(Row::view)
                .toList();
    }

    private static Figures.Digest of(@Nullable Figures figures, String digest) {
        Map<String, Figures.Digest> all = figures == null ? null : figures.digests();
        return all == null ? NONE : all.getOrDefault(digest, NONE);
    }

    /** A digest that was evicted between the two begins at 0 again. */
    private static Figures.Digest minus(Figures.Digest last, Figures.Digest first) {
        return last.count() < first.count()
                ? last
                : new Figures.Digest(
                        last.kind(),
                        last.text(),
                        last.count() - first.count(),
                        last.errors() - first.errors(),
                        last.seconds() - first.seconds());
    }

    private static double mean(Figures.Digest digest) {
        return digest.count() == 0 ? 0 : digest.seconds() / digest.count();
    }

    private static Map<String, @Nullable Object> shown(Figures.Digest digest) {
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        view.put("count", digest.count());
        view.put("errors", digest.errors());
        view.put("meanSeconds", digest.count() == 0 ? null : Math.round(mean(digest) * 1e7) / 1e7);
        return view;
    }
}
