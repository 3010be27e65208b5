package io.understudy.plugins.mirror.warmth;

import io.understudy.base.RecentlyUsed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Estimates by rule, table or digest. Bounded: the row that was longest without a probe is evicted. */
final class ColdRows {
    private final String key;
    private final Map<String, ColdEstimate> rows;

    /** @param key name of the key in {@link #view} */
    ColdRows(String key, int limit) {
        this.key = key;
        rows = new RecentlyUsed<>(limit);
    }

    void add(String name, double pages, double weight, long nowNanos) {
        row(name).add(pages, weight, 0, nowNanos);
    }

    /** Takes in a probe that took too long to be counted. */
    void addTimeout(String name, double weight, long nowNanos) {
        row(name).addTimeout(weight, nowNanos);
    }

    private ColdEstimate row(String name) {
        return rows.computeIfAbsent(name, one -> new ColdEstimate());
    }

    /** Removes a row by its name in any case. */
    void remove(String name) {
        rows.keySet().removeIf(name::equalsIgnoreCase);
    }

    /** Returns the known estimates of the rows that have had a probe since a time. */
    Map<String, Estimate> estimates(long sinceNanos) {
        Map<String, Estimate> estimates = new HashMap<>();
        rows.forEach((name, row) -> {
            Estimate estimate = row.estimate();
            if (estimate.known() && row.lastNanos() - sinceNanos >= 0) {
                estimates.put(name, estimate);
            }
        });
        return estimates;
    }

    void clear() {
        rows.clear();
    }

    /**
     * Returns the coldest rows, the coldest first; those of too few probes, and of none since a time, last and without
     * a figure.
     */
    List<Map<String, @Nullable Object>> view(int most, long sinceNanos) {
        record Row(String name, Estimate estimate) {}
        List<Row> all = new ArrayList<>();
        rows.forEach((name, estimate) -> all.add(
                new Row(name, estimate.lastNanos() - sinceNanos >= 0 ? estimate.estimate() : Estimate.UNKNOWN)));
        all.sort(Comparator.comparingDouble(
                row -> row.estimate().known() ? -row.estimate().mean() : 1));
        List<Map<String, @Nullable Object>> view = new ArrayList<>();
        for (Row row : all.subList(0, Math.min(most, all.size()))) {
            Map<String, @Nullable Object> line = new LinkedHashMap<>();
            line.put(key, row.name());
            line.putAll(row.estimate().view());
            view.add(line);
        }
        return view;
    }
}
