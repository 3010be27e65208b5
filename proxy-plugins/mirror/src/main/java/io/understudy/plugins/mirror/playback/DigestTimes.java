package io.understudy.plugins.mirror.playback;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Execution times on the standby and on the primary by digest. They show which statements would become slow after a
 * failover. The times of a look-up are of another statement than the primary's, and are not compared. Bounded: digests
 * beyond the bound share a row. Thread-safe.
 */
public final class DigestTimes {
    private static final int LIMIT = 2000;
    private static final long OTHER = 0;
    private static final long FEW = 5;

    private static final class Row {
        private final boolean lookup;
        private final LongAdder count = new LongAdder();
        private final LongAdder primaryNanos = new LongAdder();
        private final LongAdder standbyNanos = new LongAdder();

        private Row(boolean lookup) {
            this.lookup = lookup;
        }

        private void addTo(Map<String, Object> view, long executed) {
            long primary = Math.max(1, primaryNanos.sum());
            view.put("count", executed);
            view.put("primaryMicros", primary / executed / 1000);
            view.put("standbyMicros", standbyNanos.sum() / executed / 1000);
            if (lookup) {
                view.put("lookup", true);
            } else {
                view.put("ratio", Math.round(100.0 * standbyNanos.sum() / primary) / 100.0);
            }
        }
    }

    private final ConcurrentMap<Long, Row> rows = new ConcurrentHashMap<>();

    /**
     * Adds the times of a statement.
     *
     * @param lookup whether the standby has executed a look-up in place of the statement
     */
    public void record(long digest, boolean lookup, long primaryNanos, long standbyNanos) {
        Row row = rows.get(digest);
        if (row == null) {
            row = rows.computeIfAbsent(rows.size() < LIMIT ? digest : OTHER, key -> new Row(lookup));
        }
        row.count.increment();
        row.primaryNanos.add(primaryNanos);
        row.standbyNanos.add(standbyNanos);
    }

    /** Returns the times of one digest, by the same keys as {@link #slowest}; empty if it was not mirrored yet. */
    public Map<String, Object> of(long digest) {
        Map<String, Object> view = new LinkedHashMap<>();
        Row row = rows.get(digest);
        long count = row == null ? 0 : row.count.sum();
        if (row != null && count > 0) {
            row.addTo(view, count);
        }
        return view;
    }

    /** Returns the digests with the highest ratio of standby time to primary time, worst first. */
    public List<Map<String, Object>> slowest(int limit) {
        List<Map<String, Object>> slow = new ArrayList<>();
        rows.forEach((digest, row) -> {
            long count = row.count.sum();
            if (count >= FEW && digest != OTHER && !row.lookup) {
                Map<String, Object> view = new LinkedHashMap<>();
                view.put("digest", String.format("%016x", digest));
                row.addTo(view, count);
                slow.add(view);
            }
        });
        slow.sort(Comparator.comparing((Map<String, Object> row) -> (Double) row.get("ratio"))
                .reversed());
        return slow.subList(0, Math.min(limit, slow.size()));
    }
}
