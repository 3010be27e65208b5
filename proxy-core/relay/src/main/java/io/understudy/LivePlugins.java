package io.understudy;

import io.understudy.host.HostContext;
import io.understudy.host.PluginHost;
import io.understudy.plugin.PluginContext;
import io.understudy.session.ClientSession;
import io.understudy.session.SessionRegistry;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;

/** The contexts of the running plugins, and which sessions each of them observes. Thread-safe. */
final class LivePlugins implements PluginHost.Surroundings, AutoCloseable {
    /** In place of a session's number while a plugin is being started and no session is observed for certain. */
    private static final long STARTING = Long.MAX_VALUE;

    private final HostContext.Shared shared;
    private final SessionRegistry sessions;
    private final Map<String, HostContext> contexts = new ConcurrentHashMap<>();
    /** By plugin, the number from which on sessions are observed. */
    private final Map<String, Long> observedFrom = new ConcurrentHashMap<>();
    /** Whether sessions may exist. */
    private volatile boolean serving;

    LivePlugins(HostContext.Shared shared, SessionRegistry sessions) {
        this.shared = shared;
        this.sessions = sessions;
    }

    /** Called when the first plugins have started and clients may connect. */
    void serving() {
        serving = true;
    }

    @Override
    public PluginContext context(String plugin) {
        observedFrom.put(plugin, serving ? STARTING : 0);
        HostContext context = new HostContext(plugin, shared, () -> olderSessions(plugin));
        contexts.put(plugin, context);
        return context;
    }

    @Override
    public void joined(Collection<String> plugins) {
        // A session that was numbered before asked for its observers before or after this, which it does not tell.
        long next = sessions.nextId();
        plugins.forEach(plugin -> observedFrom.put(plugin, next));
    }

    /** Returns how many sessions the plugin may not observe, because they began before it. */
    private int olderSessions(String plugin) {
        long from = observedFrom.getOrDefault(plugin, 0L);
        if (from == 0) {
            return 0;
        }
        int older = (int)
                sessions.all().stream().filter(session -> session.id() < from).count();
        if (older == 0 && from != STARTING) {
            // Not put: the plugin may have been removed, and have a successor.
            observedFrom.replace(plugin, from, 0L);
        }
        return from == STARTING ? Math.max(1, older) : older;
    }

    /** Returns the number of sessions that a plugin may not observe, by plugin; without those that observe all. */
    Map<String, Integer> olderSessions() {
        Map<String, Integer> older = new LinkedHashMap<>();
        contexts.keySet().stream().sorted().forEach(plugin -> {
            int count = olderSessions(plugin);
            if (count > 0) {
                older.put(plugin, count);
            }
        });
        return older;
    }

    @Override
    public CompletableFuture<Void> leave(Collection<String> plugins) {
        return CompletableFuture.allOf(
                sessions.all().stream().map(session -> leave(session, plugins)).toArray(CompletableFuture<?>[]::new));
    }

    private static CompletableFuture<Void> leave(ClientSession session, Collection<String> plugins) {
        CompletableFuture<Void> left = new CompletableFuture<>();
        try {
            session.execute(() -> {
                try {
                    session.leave(plugins);
                } finally {
                    left.complete(null);
                }
            });
        } catch (RejectedExecutionException ended) {
            left.complete(null);
        }
        return left;
    }

    @Override
    public void removed(String plugin) {
        observedFrom.remove(plugin);
        HostContext context = contexts.remove(plugin);
        if (context != null) {
            context.remove();
        }
    }

    /** Closes the contexts. Their meters stay for a last scrape. */
    @Override
    public void close() {
        contexts.values().forEach(HostContext::close);
    }
}
