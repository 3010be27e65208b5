package io.understudy.rehearsal;

import io.understudy.metrics.LatencyHistogram;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Latencies in the time before a change and in the time after it.
 *
 * @param baseline begin of the time before; null if nothing was read before
 * @param until its end
 * @param from begin of the time after
 * @param to its end
 */
record LatencyComparison(
        @Nullable Figures baseline, @Nullable Figures until, Figures from, Figures to) {
    private static final int MOST_DIGESTS = 100;
    private static final Figures.Digest NONE = new Figures.Digest("", null, 0, 0, 0);

    private record Row(Map<String, @Nullable Object> view, double added) {}

    double secondsBefore() {
        return baseline == null || until == null ? 0 : (until.atMillis() - baseline.atMillis()) / 1e3;
    }

    double secondsAfter() {
        return (to.atMillis() - from.atMillis()) / 1e3;
    }

    /** Returns each kind of statement with its percentiles. */
    List<Map<String, @Nullable Object>> kinds() {
        List<Map<String, @Nullable Object>> rows = new ArrayList<>();
        for (String kind : new TreeSet<>(to.kinds().keySet())) {
            long[] before =
                    baseline == null || until == null ? LatencyHistogram.noCounts() : added(kind, baseline, until);
            long[] after = added(kind, from, to);
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
    @Nullable
    List<Map<String, @Nullable Object>> digests(boolean texts) {
        Map<String, Figures.Digest> end = to.digests();
        if (end == null) {
            return null;
        }
        List<Row> rows = new ArrayList<>();
        end.forEach((digest, last) -> {
            Figures.Digest after = minus(last, of(from, digest));
            Figures.Digest before = until == null ? NONE : minus(of(until, digest), of(baseline, digest));
            if (after.count() + before.count() > 0) {
                Map<String, @Nullable Object> row = new LinkedHashMap<>();
                row.put("digest", digest);
                row.put("kind", last.kind());
                if (texts) {
                    row.put("text", last.text());
                }
                row.put("before", figures(before));
                row.put("after", figures(after));
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

    private static Map<String, @Nullable Object> figures(Figures.Digest digest) {
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        view.put("count", digest.count());
        view.put("errors", digest.errors());
        view.put("meanSeconds", digest.count() == 0 ? null : Math.round(mean(digest) * 1e7) / 1e7);
        return view;
    }
}
