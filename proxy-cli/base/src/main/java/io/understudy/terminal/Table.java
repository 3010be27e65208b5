package io.understudy.terminal;

import io.understudy.base.Printable;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads values from a view's maps and writes lines. Not thread-safe. */
public final class Table {
    private final StringBuilder out = new StringBuilder();

    /** Adds a line. Names and texts from outside in {@code values} cannot add another, nor steer the terminal. */
    public void line(String format, @Nullable Object... values) {
        @Nullable Object[] shown = new Object[values.length];
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            shown[i] = value == null || value instanceof Number ? value : Printable.of(String.valueOf(value));
        }
        out.append(String.format(Locale.ROOT, format, shown).stripTrailing()).append('\n');
    }

    public String text() {
        return out.toString();
    }

    @SuppressWarnings("unchecked")
    public static Map<String, Object> map(Map<String, Object> from, String key) {
        return from.get(key) instanceof Map<?, ?> map ? (Map<String, Object>) map : Map.of();
    }

    @SuppressWarnings("unchecked")
    public static List<Map<String, Object>> rows(Map<String, Object> from, String key) {
        return from.get(key) instanceof List<?> list ? (List<Map<String, Object>>) list : List.of();
    }

    /** Returns the counts that are not zero, the largest first. */
    public static String counts(Map<String, Object> counts) {
        return counts.keySet().stream()
                .filter(key -> whole(counts, key) != 0)
                .sorted(Comparator.comparingLong((String key) -> whole(counts, key))
                        .reversed()
                        .thenComparing(key -> key))
                .map(key -> whole(counts, key) + " " + key.replace('_', ' '))
                .collect(Collectors.joining(", "));
    }

    public static double number(Map<String, Object> from, String key) {
        return from.get(key) instanceof Number number ? number.doubleValue() : 0;
    }

    public static long whole(Map<String, Object> from, String key) {
        return from.get(key) instanceof Number number ? number.longValue() : 0;
    }
}
