package io.understudy.runtime;

import io.understudy.admin.AdminEndpoints;
import io.understudy.host.Published;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.PublishedStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Shows on the admin endpoint what plugins publish, and nothing of those that have stopped. Thread-safe. */
final class PluginEndpoints {
    private final Published published;
    private final AdminEndpoints endpoints;
    private final Map<String, Supplier<Object>> views = new HashMap<>();
    private final Map<String, Published.Sensitive> sensitive = new HashMap<>();
    private final Map<String, PluginContext.Action> queries = new HashMap<>();
    private final Map<String, PublishedStream> streams = new HashMap<>();
    private final Map<String, PluginContext.Action> actions = new HashMap<>();

    PluginEndpoints(Published published, AdminEndpoints endpoints) {
        this.published = published;
        this.endpoints = endpoints;
        // A plugin stops when its last session has left it, and no reload comes then.
        published.onWithdrawal(this::follow);
    }

    /** Called after the start, each reload, and when a plugin has stopped. */
    synchronized void follow() {
        remove(views, published.views(), endpoints::removeView);
        remove(sensitive, published.sensitive(), endpoints::removeView);
        remove(queries, published.queries(), endpoints::removeView);
        remove(streams, published.streams(), endpoints::removeStream);
        remove(actions, published.actions(), endpoints::removeAction);
        add(views, published.views(), endpoints::view);
        add(
                sensitive,
                published.sensitive(),
                (name, view) -> endpoints.sensitiveView(name, view.full(), view.redacted()));
        add(queries, published.queries(), (name, view) -> endpoints.queryView(name, view::run));
        add(streams, published.streams(), endpoints::stream);
        add(actions, published.actions(), (path, action) -> endpoints.action(path, action::run));
    }

    private static <T> void remove(Map<String, T> shown, Map<String, T> now, Consumer<String> removal) {
        List.copyOf(shown.keySet()).stream()
                .filter(name -> shown.get(name) != now.get(name))
                .forEach(name -> {
                    shown.remove(name);
                    removal.accept(name);
                });
    }

    private static <T> void add(Map<String, T> shown, Map<String, T> now, BiConsumer<String, T> addition) {
        now.forEach((name, value) -> {
            if (shown.putIfAbsent(name, value) == null) {
                addition.accept(name, value);
            }
        });
    }
}
