package io.understudy.it;

import io.understudy.host.Published;
import java.util.Map;
import java.util.Objects;

/** Reads the views of plugins as the admin endpoint shows them. */
final class Views {
    private Views() {}

    /** Returns a view that a plugin has published. */
    static Object of(Published published, String name) {
        return Objects.requireNonNull(published.views().get(name), name).get();
    }

    /** Returns a view, or a part of one, that is an object in JSON. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> map(Object view) {
        return (Map<String, Object>) view;
    }

    /** Returns what a view has under a key. */
    static Object value(Map<String, Object> view, String key) {
        return Objects.requireNonNull(view.get(key), key);
    }
}
