package io.understudy;

import io.understudy.host.HostContext;
import io.understudy.host.PluginHost;
import io.understudy.plugin.PluginContext;
import io.understudy.session.ClientSession;
import io.understudy.session.SessionRegistry;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The contexts of the running plugins, and which sessions each of them observes. Thread-safe. */
final class LivePlugins implements PluginHost.Surroundings, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LivePlugins.class);
    /** An event loop that takes longer has a fault of its own. */
    private static final long LEAVE_SECONDS = 5;

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
            observedFrom.put(plugin, 0L);
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
    public void leave(Collection<String> plugins) {
        List<ClientSession> all = List.copyOf(sessions.all());
        CountDownLatch left = new CountDownLatch(all.size());
        for (ClientSession session : all) {
            try {
                session.execute(() -> {
                    try {
                        session.leave(plugins);
                    } finally {
                        left.countDown();
                    }
                });
            } catch (RejectedExecutionException ended) {
                left.countDown();
            }
        }
        try {
            if (!left.await(LEAVE_SECONDS, TimeUnit.SECONDS)) {
                log.warn("{} sessions did not leave {} within {} s", left.getCount(), plugins, LEAVE_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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
