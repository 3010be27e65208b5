package io.understudy.it;

import java.util.Map;

/** The content of {@code /api/lost}. */
record LostView(Map<String, Object> all) {
    static LostView of(Object view) {
        return new LostView(Views.map(view));
    }

    long number(String section, String key) {
        return ((Number) Views.value(section(section), key)).longValue();
    }

    String text(String section, String key) {
        return String.valueOf(section(section).get(key));
    }

    private Map<String, Object> section(String name) {
        return Views.map(Views.value(all, name));
    }
}
