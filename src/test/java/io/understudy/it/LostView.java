package io.understudy.it;

import java.util.Map;

/** The content of {@code /api/lost}. */
record LostView(Map<String, Object> all) {
    @SuppressWarnings("unchecked")
    static LostView of(Object view) {
        return new LostView((Map<String, Object>) view);
    }

    long number(String section, String key) {
        return ((Number) section(section).get(key)).longValue();
    }

    String text(String section, String key) {
        return String.valueOf(section(section).get(key));
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> section(String name) {
        return (Map<String, Object>) all.get(name);
    }
}
