package io.understudy.plugins.querylog.digests;

import io.understudy.plugin.DigestNotes;
import io.understudy.sql.NotPure;
import io.understudy.sql.StatementSummary;
import io.understudy.sql.TableName;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The table as {@code /api/digests} shows it, the most time first. */
public final class DigestsView {
    private static final double NANOS = 1e9;
    /** Rows with notes, which cost a plugin more than figures do. */
    private static final int NOTED = 1000;

    private DigestsView() {}

    /**
     * Returns the table as JSON.
     *
     * @param notes what other plugins know of the digests; asked for by who reads a whole row, for the first 1,000
     * @param texts whether the normalised texts are shown
     */
    public static Map<String, Object> of(DigestTable table, DigestNotes notes, boolean texts) {
        List<DigestEntry> entries = new ArrayList<>(table.all());
        Map<DigestEntry, Long> totals = new HashMap<>();
        entries.forEach(entry -> totals.put(entry, entry.totalNanos()));
        entries.sort(Comparator.comparing((DigestEntry entry) -> totals.getOrDefault(entry, 0L))
                .reversed());
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("capacity", table.capacity());
        view.put(
                "evicted",
                Map.of(
                        "digests",
                        (long) table.evicted(),
                        "count",
                        table.evictedCount(),
                        "seconds",
                        table.evictedNanos() / NANOS));
        view.put("withoutDigest", figures(table.unknown()));
        List<Map<String, Object>> rows = new ArrayList<>(entries.size());
        for (DigestEntry entry : entries) {
            Map<String, Object> row = row(table, entry, texts);
            StatementSummary summary = entry.summary();
            rows.add(
                    summary == null || rows.size() >= NOTED
                            ? row
                            : new NotedRow(row, () -> notes.of(subject(entry, summary))));
        }
        view.put("digests", rows);
        return view;
    }

    private static DigestNotes.Subject subject(DigestEntry entry, StatementSummary summary) {
        return new DigestNotes.Subject(
                summary, entry.users().list(), entry.schemas().list(), entry.normalized());
    }

    private static Map<String, Object> row(DigestTable table, DigestEntry entry, boolean texts) {
        Map<String, Object> row = new LinkedHashMap<>();
        StatementSummary summary = entry.summary();
        if (summary != null) {
            NotPure reason = summary.reason();
            row.put("digest", summary.digestHex());
            row.put("kind", summary.kind().label());
            byte[] text = texts ? entry.text() : null;
            if (texts) {
                row.put("text", text == null ? null : new String(text, StandardCharsets.UTF_8));
            }
            row.put("pureRead", reason == null);
            row.put("notPure", reason == null ? null : reason.label());
            row.put("reads", summary.reads().stream().map(TableName::toString).toList());
            row.put("writes", summary.writes().stream().map(TableName::toString).toList());
        }
        List<String> users = entry.users().list();
        List<String> schemas = entry.schemas().list();
        row.put("users", users);
        row.put("schemas", schemas);
        row.put("more", entry.users().more() || entry.schemas().more());
        row.putAll(figures(entry));
        row.put("firstSeen", Instant.ofEpochMilli(entry.firstSeenMillis()).toString());
        long age = Math.max(0, table.nowNanos() - entry.lastSeenNanos()) / 1_000_000;
        row.put("lastSeen", Instant.ofEpochMilli(table.nowMillis() - age).toString());
        return row;
    }

    private static Map<String, Object> figures(DigestEntry entry) {
        Map<String, Object> figures = new LinkedHashMap<>();
        long count = entry.count();
        figures.put("count", count);
        figures.put("errors", entry.errors());
        figures.put("rows", entry.rows());
        figures.put("affectedRows", entry.affectedRows());
        figures.put("bytes", entry.bytes());
        Map<String, Object> seconds = new LinkedHashMap<>();
        seconds.put("total", entry.totalNanos() / NANOS);
        seconds.put("mean", count == 0 ? 0 : entry.totalNanos() / NANOS / count);
        seconds.put("p50", entry.percentileNanos(0.5) / NANOS);
        seconds.put("p95", entry.percentileNanos(0.95) / NANOS);
        seconds.put("p99", entry.percentileNanos(0.99) / NANOS);
        seconds.put("max", entry.maxNanos() / NANOS);
        figures.put("seconds", seconds);
        return figures;
    }

    /**
     * A row with notes of other plugins, which are asked for when somebody reads the whole row: who reads single
     * figures, such as every ten seconds for {@code report failover}, needs none. Not thread-safe.
     */
    private static final class NotedRow extends AbstractMap<String, Object> {
        private final Map<String, Object> figures;
        private final Supplier<Map<String, Object>> notes;
        private @Nullable Map<String, Object> all;

        NotedRow(Map<String, Object> figures, Supplier<Map<String, Object>> notes) {
            this.figures = figures;
            this.notes = notes;
        }

        private Map<String, Object> all() {
            Map<String, Object> row = all;
            if (row == null) {
                row = new LinkedHashMap<>(figures);
                row.putAll(notes.get());
                all = row;
            }
            return row;
        }

        @Override
        public boolean containsKey(@Nullable Object key) {
            return figures.containsKey(key) || all().containsKey(key);
        }

        @Override
        public @Nullable Object get(@Nullable Object key) {
            return figures.containsKey(key) ? figures.get(key) : all().get(key);
        }

        @Override
        public Set<Entry<String, Object>> entrySet() {
            return all().entrySet();
        }
    }
}
