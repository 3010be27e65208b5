package io.understudy.report;

import io.understudy.layout.Layout;
import io.understudy.terminal.Table;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /api/digests} as a table for people. */
public final class DigestsText {
    /** The figure that decides about the order. */
    public enum Order {
        TIME('t'),
        COUNT('c'),
        MEAN('a'),
        P99('9'),
        MAX('m'),
        ERRORS('e'),
        ROWS('r'),
        BYTES('b');

        private final char key;

        Order(char key) {
            this.key = key;
        }

        /** Returns the order that a key chooses, or null. */
        public static @Nullable Order of(int key) {
            for (Order order : values()) {
                if (order.key == key) {
                    return order;
                }
            }
            return null;
        }
    }

    /** Which digests are shown; null for all. */
    public record Filter(
            @Nullable String user,
            @Nullable String schema,
            @Nullable String table) {
        boolean takes(Map<String, Object> row) {
            return has(row, "users", user, false)
                    && has(row, "schemas", schema, true)
                    && (has(row, "reads", table, true) || has(row, "writes", table, true));
        }

        private static boolean has(Map<String, Object> row, String key, @Nullable String wanted, boolean anyCase) {
            if (wanted == null) {
                return true;
            }
            for (Object one : (List<?>) row.getOrDefault(key, List.of())) {
                String name = String.valueOf(one);
                boolean qualified = key.equals("reads") || key.equals("writes");
                String bare = qualified ? name.substring(name.lastIndexOf('.') + 1) : name;
                if (anyCase ? name.equalsIgnoreCase(wanted) || bare.equalsIgnoreCase(wanted) : name.equals(wanted)) {
                    return true;
                }
            }
            return false;
        }
    }

    /** A digest's figures, since the start or in an interval. */
    private record Line(Map<String, Object> row, double count, double time, double errors, double rows, double bytes) {
        double by(Order order) {
            return switch (order) {
                case TIME -> time;
                case COUNT -> count;
                case MEAN -> count == 0 ? 0 : time / count;
                case P99 -> Table.number(Table.map(row, "seconds"), "p99");
                case MAX -> Table.number(Table.map(row, "seconds"), "max");
                case ERRORS -> errors;
                case ROWS -> rows;
                case BYTES -> bytes;
            };
        }

        /** @param whole the time of all digests */
        Map<String, Object> figures(double whole) {
            Map<String, Object> figures = new HashMap<>(row);
            figures.put("share", whole == 0 ? 0 : time * 100 / whole);
            figures.put("count", count);
            figures.put("mean", by(Order.MEAN));
            figures.put("errors", errors);
            figures.put("rows", rows);
            return figures;
        }
    }

    private static final Layout LAYOUT = Layout.beside(DigestsText.class, "digests");

    private DigestsText() {}

    /**
     * Returns the table.
     *
     * @param before the view some time ago: counts, times, rows and bytes become those since then; null for all
     * @param seconds how long ago
     */
    public static String of(
            Map<String, Object> view,
            @Nullable Map<String, Object> before,
            double seconds,
            Order order,
            Filter filter,
            int rows) {
        Map<String, Map<String, Object>> old = new HashMap<>();
        if (before != null) {
            Table.rows(before, "digests").forEach(row -> old.put(String.valueOf(row.get("digest")), row));
        }
        List<Line> lines = new ArrayList<>();
        double count = 0;
        double time = 0;
        for (Map<String, Object> row : Table.rows(view, "digests")) {
            Line line = line(row, old.get(String.valueOf(row.get("digest"))));
            if (filter.takes(row) && (before == null || line.count() > 0)) {
                lines.add(line);
                count += line.count();
                time += line.time();
            }
        }
        lines.sort(Comparator.comparingDouble((Line line) -> line.by(order)).reversed());
        List<Line> shown = lines.subList(0, Math.min(rows, lines.size()));
        double whole = time;
        Map<String, Object> report = new HashMap<>();
        report.put("digests", lines.size());
        report.put("count", count);
        report.put("time", time);
        report.put("interval", before != null);
        report.put("seconds", seconds);
        report.put("order", order.name().toLowerCase(Locale.ROOT));
        // Without the mirror, its two columns would only take the text's place.
        report.put(
                "mirrors",
                shown.stream().anyMatch(line -> !Table.map(line.row(), "mirror").isEmpty()));
        report.put("lines", shown.stream().map(line -> line.figures(whole)).toList());
        return LAYOUT.text(report);
    }

    private static Line line(Map<String, Object> row, @Nullable Map<String, Object> old) {
        Map<String, Object> since =
                old == null || Table.whole(old, "count") > Table.whole(row, "count") ? Map.of() : old;
        return new Line(
                row,
                Table.number(row, "count") - Table.number(since, "count"),
                Table.number(Table.map(row, "seconds"), "total") - Table.number(Table.map(since, "seconds"), "total"),
                Table.number(row, "errors") - Table.number(since, "errors"),
                Table.number(row, "rows") - Table.number(since, "rows"),
                Table.number(row, "bytes") - Table.number(since, "bytes"));
    }
}
