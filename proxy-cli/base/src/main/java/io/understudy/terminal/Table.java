package io.understudy.terminal;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Reads values from a view's maps. */
public final class Table {
    private Table() {}

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

    public static double number(Map<?, ?> from, String key) {
        return from.get(key) instanceof Number number ? number.doubleValue() : 0;
    }

    public static long whole(Map<?, ?> from, String key) {
        return from.get(key) instanceof Number number ? number.longValue() : 0;
    }
}
