package io.understudy.plugin;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import java.util.function.Supplier;

/** Services of the proxy for one plugin, passed to it at start. Thread-safe. */
public interface PluginContext {
    /** Returns the registry for the plugin's meters. Register them once, at start; do not look one up per command. */
    MeterRegistry meters();

    /**
     * Returns a histogram of latencies with the proxy's common buckets. Recording takes some nanoseconds, so it may be
     * done for every command.
     *
     * @param tags key, value, key, value…
     */
    LatencyRecorder latency(String name, String description, String... tags);

    /**
     * Returns the executor for work off the event loops. It rejects a task when its queue is full, and ends after the
     * plugin's {@link ProxyPlugin#stop}.
     */
    ScheduledExecutorService executor();

    /** Returns the wall clock. */
    Clock clock();

    /** Returns the primary. */
    Primary primary();

    /** Returns the standbys in the order of the configuration. */
    List<Standby> standbys();

    /**
     * Returns how many sessions may exist that this plugin does not observe because they began before it was added to
     * the configuration of the running proxy; 0 from the end of the last of them on, and always if the plugin has
     * started with the proxy. Never 0 during such a later start.
     */
    default int olderSessions() {
        return 0;
    }

    /**
     * Returns the only instance of {@code type} in this process. A library package uses it for state common to all
     * plugins that use the package, such as a connection that should not be opened twice.
     *
     * <p>The first call creates the instance; later calls, by any plugin, return the same one. It is closed after the
     * {@link ProxyPlugin#stop} of the last plugin that called; a call after that creates another one. A plugin cannot
     * give the instance back earlier; the instance itself may offer a method for that.
     *
     * @param type a class that all its users load from the same class loader; equally named classes of two loaders are
     *     two types
     * @param create receives a context whose executor lives as long as the instance, and uses that one instead of the
     *     calling plugin's. Must not wait. An exception is passed on to the caller, and no instance is kept
     * @throws IllegalStateException when the plugin has stopped
     */
    <T extends AutoCloseable> T shared(Class<T> type, Function<PluginContext, T> create);

    /**
     * Publishes a read-only view under {@code GET /api/NAME}: records, maps, lists, numbers and strings become JSON.
     */
    void publish(String name, Supplier<Object> view);

    /** Adds figures about one standby, which become JSON like a view, to its row of {@code GET /api/standbys}. */
    default void publishOfStandby(String standby, String key, Supplier<Object> figures) {}

    /**
     * Publishes a view with SQL text or other data of users under {@code GET /api/NAME}.
     *
     * @param full the view for holders of the admin token
     * @param redacted the view for everyone else
     */
    default void publish(String name, Supplier<Object> full, Supplier<Object> redacted) {
        publish(name, redacted);
    }

    /**
     * Publishes a view under {@code GET /api/NAME} that depends on the parameters of the request's query, for holders
     * of the admin token.
     *
     * @param parameters their names; others are refused with status 400
     */
    default void publishQuery(String name, Set<String> parameters, Action view) {}

    /** Publishes an endless stream under {@code GET /NAME}, for holders of the admin token. */
    default void publishStream(String name, PublishedStream stream) {}

    /** Publishes an action without parameters but those of its path. */
    default void publishAction(String name, Action action) {
        publishAction(name, Set.of(), action);
    }

    /**
     * Publishes an action under {@code POST /api/NAME}, for holders of the admin token.
     *
     * @param name may contain {@code {name}} as one path segment, whose value is passed to the action
     * @param parameters names of the parameters that the query or the body may have; others are refused with status 400
     */
    void publishAction(String name, Set<String> parameters, Action action);

    /** The code behind a {@code POST}, or behind a {@code GET} with parameters. */
    interface Action {
        /**
         * Returns the body of the HTTP response: bytes as they are, any other object as JSON.
         *
         * @param parameters values by name: those in the path, then those of the query and of the body, a JSON object
         * @throws IllegalArgumentException when the request is not valid; it becomes a 400 with the exception's message
         * @throws IllegalStateException when it cannot be done for now; it becomes a 503 with the message
         */
        Object run(Map<String, String> parameters);
    }
}
