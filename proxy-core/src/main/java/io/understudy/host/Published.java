package io.understudy.host;

import io.understudy.plugin.PluginContext.Action;
import io.understudy.plugin.PublishedStream;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;

/** Views, streams and actions that plugins publish on the admin endpoint. Thread-safe. */
public final class Published {
    /** A view with data of users: the whole of it for holders of the token, what the others get. */
    public record Sensitive(Supplier<Object> full, Supplier<Object> redacted) {}

    private final ConcurrentSkipListMap<String, Supplier<Object>> views = new ConcurrentSkipListMap<>();
    private final ConcurrentSkipListMap<String, ConcurrentSkipListMap<String, Supplier<Object>>> ofStandbys =
            new ConcurrentSkipListMap<>();
    private final ConcurrentSkipListMap<String, Sensitive> sensitive = new ConcurrentSkipListMap<>();
    private final ConcurrentSkipListMap<String, PublishedStream> streams = new ConcurrentSkipListMap<>();
    private final ConcurrentSkipListMap<String, Action> actions = new ConcurrentSkipListMap<>();

    /** @throws IllegalArgumentException if another plugin uses the name */
    void publish(String plugin, String name, Supplier<Object> view) {
        if (sensitive.containsKey(name) || views.putIfAbsent(name, view) != null) {
            throw new IllegalArgumentException("plugin " + plugin + " publishes /api/" + name + ", which exists");
        }
    }

    void publishOfStandby(String standby, String key, Supplier<Object> figures) {
        ofStandbys
                .computeIfAbsent(standby, name -> new ConcurrentSkipListMap<>())
                .put(key, figures);
    }

    /** Returns what plugins know about a standby, by key. */
    public Map<String, Object> ofStandby(String standby) {
        Map<String, Object> view = new TreeMap<>();
        ofStandbys
                .getOrDefault(standby, new ConcurrentSkipListMap<>())
                .forEach((key, figures) -> view.put(key, figures.get()));
        return view;
    }

    /** @throws IllegalArgumentException if another plugin uses the name */
    void publish(String plugin, String name, Supplier<Object> full, Supplier<Object> redacted) {
        if (views.containsKey(name) || sensitive.putIfAbsent(name, new Sensitive(full, redacted)) != null) {
            throw new IllegalArgumentException("plugin " + plugin + " publishes /api/" + name + ", which exists");
        }
    }

    /** @throws IllegalArgumentException if another plugin uses the name */
    void publishStream(String plugin, String name, PublishedStream stream) {
        if (streams.putIfAbsent(name, stream) != null) {
            throw new IllegalArgumentException("plugin " + plugin + " publishes /" + name + ", which exists");
        }
    }

    /** @throws IllegalArgumentException if another plugin uses the name */
    void publishAction(String plugin, String name, Action action) {
        if (actions.putIfAbsent(name, action) != null) {
            throw new IllegalArgumentException("plugin " + plugin + " publishes POST /api/" + name + ", which exists");
        }
    }

    /** Returns the current views by the path after {@code /api/}. */
    public Map<String, Supplier<Object>> views() {
        return Collections.unmodifiableMap(new TreeMap<>(views));
    }

    /** Returns the current views with data of users by the path after {@code /api/}. */
    public Map<String, Sensitive> sensitive() {
        return Collections.unmodifiableMap(new TreeMap<>(sensitive));
    }

    /** Returns the current streams by the path after {@code /}. */
    public Map<String, PublishedStream> streams() {
        return Collections.unmodifiableMap(new TreeMap<>(streams));
    }

    /** Returns the current actions by path template, such as <code>mirror/{name}/pause</code>. */
    public Map<String, Action> actions() {
        return Collections.unmodifiableMap(new TreeMap<>(actions));
    }
}
