package io.understudy.host;

import io.understudy.plugin.PluginContext.Action;
import io.understudy.plugin.PublishedStream;
import java.util.Collections;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;

/** Views, streams and actions that plugins publish on the admin endpoint. Thread-safe. */
public final class Published {
    /** A view with data of users: the whole of it for holders of the token, what the others get. */
    public record Sensitive(Supplier<Object> full, Supplier<Object> redacted) {}

    private volatile Runnable onWithdrawal = () -> {};
    /** The actions that undo the publications of a plugin. */
    private final ConcurrentHashMap<String, Queue<Runnable>> undo = new ConcurrentHashMap<>();

    private final ConcurrentSkipListMap<String, Supplier<Object>> views = new ConcurrentSkipListMap<>();
    private final ConcurrentSkipListMap<String, ConcurrentSkipListMap<String, Supplier<Object>>> ofStandbys =
            new ConcurrentSkipListMap<>();
    private final ConcurrentSkipListMap<String, Sensitive> sensitive = new ConcurrentSkipListMap<>();
    private final ConcurrentSkipListMap<String, Action> queries = new ConcurrentSkipListMap<>();
    private final ConcurrentSkipListMap<String, PublishedStream> streams = new ConcurrentSkipListMap<>();
    private final ConcurrentSkipListMap<String, Action> actions = new ConcurrentSkipListMap<>();

    /** @throws IllegalArgumentException if another plugin uses the name, as below */
    void publish(String plugin, String name, Supplier<Object> view) {
        add(plugin, "/api/", name, sensitive.containsKey(name), views, view);
    }

    void publishOfStandby(String plugin, String standby, String key, Supplier<Object> figures) {
        ofStandbys
                .computeIfAbsent(standby, name -> new ConcurrentSkipListMap<>())
                .put(key, figures);
        undo(
                plugin,
                () -> ofStandbys
                        .getOrDefault(standby, new ConcurrentSkipListMap<>())
                        .remove(key, figures));
    }

    /** Returns what plugins know about a standby, by key. */
    public Map<String, Object> ofStandby(String standby) {
        Map<String, Object> view = new TreeMap<>();
        ofStandbys
                .getOrDefault(standby, new ConcurrentSkipListMap<>())
                .forEach((key, figures) -> view.put(key, figures.get()));
        return view;
    }

    void publish(String plugin, String name, Supplier<Object> full, Supplier<Object> redacted) {
        add(plugin, "/api/", name, views.containsKey(name), sensitive, new Sensitive(full, redacted));
    }

    void publishQuery(String plugin, String name, Action view) {
        add(plugin, "/api/", name, false, queries, view);
    }

    void publishStream(String plugin, String name, PublishedStream stream) {
        add(plugin, "/", name, false, streams, stream);
    }

    void publishAction(String plugin, String name, Action action) {
        add(plugin, "POST /api/", name, false, actions, action);
    }

    private <T> void add(
            String plugin, String path, String name, boolean used, ConcurrentMap<String, T> published, T what) {
        if (used || published.putIfAbsent(name, what) != null) {
            throw new IllegalArgumentException("plugin " + plugin + " publishes " + path + name + ", which exists");
        }
        undo(plugin, () -> published.remove(name, what));
    }

    private void undo(String plugin, Runnable withdrawal) {
        undo.computeIfAbsent(plugin, id -> new ConcurrentLinkedQueue<>()).add(withdrawal);
    }

    /** Removes all that a plugin has published. */
    void withdraw(String plugin) {
        Queue<Runnable> own = undo.remove(plugin);
        if (own != null) {
            own.forEach(Runnable::run);
            onWithdrawal.run();
        }
    }

    /** Sets what follows when a plugin's publications are gone, which may be long after the reload that removed it. */
    public void onWithdrawal(Runnable action) {
        onWithdrawal = action;
    }

    /** Returns the current views by the path after {@code /api/}. */
    public Map<String, Supplier<Object>> views() {
        return Collections.unmodifiableMap(new TreeMap<>(views));
    }

    /** Returns the current views with data of users by the path after {@code /api/}. */
    public Map<String, Sensitive> sensitive() {
        return Collections.unmodifiableMap(new TreeMap<>(sensitive));
    }

    /** Returns the current views that depend on the request's query by the path after {@code /api/}. */
    public Map<String, Action> queries() {
        return Collections.unmodifiableMap(new TreeMap<>(queries));
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
