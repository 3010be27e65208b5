package io.understudy.plugins.commitlatency;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Commits by one key, such as the user. Bounded: the remaining keys share a row. Guarded by its {@link CommitReport}.
 */
final class CommitTable {
    static final String OTHER = "other";

    /**
     * @param ackShare share of the latency spent waiting for acknowledgements, over the commits for which it is known
     */
    record Line(
            String key,
            long commits,
            double p50Millis,
            double p95Millis,
            double p99Millis,
            double maxMillis,
            double ackShare) {}

    private static final class Row {
        private final Quantiles latency = new Quantiles();
        private long ackNanos;
        private long attributedNanos;
    }

    private final int capacity;
    private final Function<Commit, String> key;
    private final Map<String, Row> rows = new HashMap<>();
    private final Row other = new Row();

    CommitTable(int capacity, Function<Commit, String> key) {
        this.capacity = capacity;
        this.key = key;
    }

    private Row row(Commit commit) {
        String name = key.apply(commit);
        Row row = rows.get(name);
        if (row == null) {
            row = rows.size() < capacity ? new Row() : other;
            if (rows.size() < capacity) {
                rows.put(name, row);
            }
        }
        return row;
    }

    void commit(Commit commit) {
        row(commit).latency.record(commit.latencyNanos());
    }

    /** Adds the parts of a commit that was already counted. */
    void attributed(Commit commit, Breakdown parts) {
        Row row = row(commit);
        row.attributedNanos += commit.latencyNanos();
        row.ackNanos += parts.ackNanos() + parts.queuedNanos();
    }

    /**
     * Returns the lines with the most time first, at most {@code most}; the remaining keys are in the row
     * {@value #OTHER}, without a split.
     */
    List<Line> lines() {
        List<Map.Entry<String, Row>> sorted = new ArrayList<>(rows.entrySet());
        sorted.sort(Comparator.comparingLong(
                (Map.Entry<String, Row> entry) -> -entry.getValue().latency.sum()));
        List<Line> lines = new ArrayList<>();
        for (Map.Entry<String, Row> entry : sorted) {
            lines.add(line(entry.getKey(), entry.getValue()));
        }
        if (other.latency.count() > 0) {
            lines.add(line(OTHER, other));
        }
        return lines;
    }

    private static Line line(String key, Row row) {
        Quantiles latency = row.latency;
        return new Line(
                key,
                latency.count(),
                Quantiles.millis(latency.at(0.50)),
                Quantiles.millis(latency.at(0.95)),
                Quantiles.millis(latency.at(0.99)),
                Quantiles.millis(latency.max()),
                row.attributedNanos == 0 ? 0 : Math.round(1000.0 * row.ackNanos / row.attributedNanos) / 1000.0);
    }
}
