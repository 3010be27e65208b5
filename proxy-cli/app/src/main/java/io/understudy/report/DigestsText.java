package io.understudy.report;

import io.understudy.terminal.Table;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code /api/digests} as a table for people. */
public final class DigestsText {
    private static final int TEXT = 90;
    private static final int WHY = 24;

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
    }

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
        Table out = new Table();
        String span = before == null ? "since the start" : String.format(Locale.ROOT, "in %.1f s", seconds);
        out.line(
                "%d digests, %.0f statements, %.1f s of their time, %s; by %s",
                lines.size(), count, time, span, order.name().toLowerCase(Locale.ROOT));
        List<Line> shown = lines.subList(0, Math.min(rows, lines.size()));
        // Without the mirror, its two columns would only take the text's place.
        boolean mirrors =
                shown.stream().anyMatch(line -> !Table.map(line.row(), "mirror").isEmpty());
        out.line(
                "%16s %6s %9s %9s %9s %9s %7s %9s%s  %s",
                "digest",
                "time",
                "count",
                "mean",
                "p99",
                "max",
                "errors",
                "rows",
                mirrors ? ofMirror("standby", "mirror") : "",
                "text");
        for (Line line : shown) {
            Map<String, Object> timing = Table.map(line.row(), "seconds");
            Map<String, Object> mirror = Table.map(line.row(), "mirror");
            out.line(
                    "%16s %5.1f%% %9.0f %9s %9s %9s %7.0f %9.0f%s  %s",
                    line.row().get("digest"),
                    time == 0 ? 0 : line.time() * 100 / time,
                    line.count(),
                    millis(line.by(Order.MEAN)),
                    millis(Table.number(timing, "p99")),
                    millis(Table.number(timing, "max")),
                    line.errors(),
                    line.rows(),
                    mirrors ? ofMirror(ratio(mirror), mirror(mirror)) : "",
                    text(line.row()));
        }
        return out.text();
    }

    private static String ofMirror(String ratio, String rule) {
        return String.format(Locale.ROOT, " %7s %-" + WHY + "s", ratio, rule);
    }

    /** Returns the time on the standby in proportion to that on the primary. */
    private static String ratio(Map<String, Object> mirror) {
        return mirror.containsKey("ratio") ? String.format(Locale.ROOT, "%.2fx", Table.number(mirror, "ratio")) : "-";
    }

    /** Returns the rule by which the digest is mirrored, or why it is not. */
    private static String mirror(Map<String, Object> mirror) {
        if (mirror.isEmpty()) {
            return "-";
        }
        boolean mirrored = Boolean.TRUE.equals(mirror.get("mirrored"));
        String text = names(mirror.get(mirrored ? "rules" : "reasons"));
        String shown = mirrored ? text : "not: " + text.replace('_', ' ');
        return shown.length() > WHY ? shown.substring(0, WHY - 1) + "…" : shown;
    }

    private static String names(@Nullable Object list) {
        return list instanceof List<?> names
                ? names.stream().map(String::valueOf).collect(Collectors.joining(","))
                : "";
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

    private static String millis(double seconds) {
        return String.format(Locale.ROOT, "%.2f ms", seconds * 1000);
    }

    private static String text(Map<String, Object> row) {
        Object text = row.get("text");
        if (text == null) {
            return row.get("kind")
                    + (row.containsKey("text") ? " (not understood by the server)" : " (the text needs the token)");
        }
        String shown = String.valueOf(text);
        return shown.length() > TEXT ? shown.substring(0, TEXT - 1) + "…" : shown;
    }
}
