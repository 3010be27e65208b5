package io.understudy.plugin;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import java.util.function.Supplier;

/** What a plugin is given at start. Safe for use by any thread. */
public interface PluginContext {
    /** Register meters here, once, at start; never look one up per command. */
    MeterRegistry meters();

    /**
     * A histogram of latencies on the proxy's common buckets, cheap enough for every command (some nanoseconds).
     *
     * @param tags key, value, key, value…
     */
    LatencyRecorder latency(String name, String description, String... tags);

    /** For the plugin's own work off the event loops. Rejects rather than queue without end. */
    ScheduledExecutorService executor();

    /** Wall clock. */
    Clock clock();

    Primary primary();

    List<Standby> standbys();

    /**
     * The one instance of {@code type} in this proxy process: what a library package keeps on behalf of all plugins that use it,
     * such as a connection that would be a waste twice. It is made when the first plugin asks, and each later one is given the
     * same. It is closed when every plugin that asked has stopped, after the last one's {@link ProxyPlugin#stop}; who asks after
     * that is given a new one. Asking again changes nothing. A plugin that needs it no more, but goes on, says so to the instance itself.
     *
     * @param type of a package that all its users see; two class loaders' classes of one name are two types
     * @param create given a context of the instance's own, whose executor lives as long as the instance. It must use that one, as the
     *     asking plugin's ends with the plugin. Must not wait. What it throws is passed on, and nothing is kept
     * @throws IllegalStateException when the plugin has stopped
     */
    <T extends AutoCloseable> T shared(Class<T> type, Function<PluginContext, T> create);

    /** Publishes a read-only view under {@code /api/NAME}: records, maps, lists, numbers and strings become JSON. */
    void publish(String name, Supplier<Object> view);

    /**
     * Publishes an action under {@code POST /api/NAME}, for holders of the admin token.
     *
     * @param name may hold {@code {name}} as one path segment, which is passed to the action
     */
    void publishAction(String name, Action action);

    /** What {@code POST} runs. */
    interface Action {
        /**
         * Returns what to answer: bytes as they are, anything else becomes JSON; an {@link IllegalArgumentException} becomes a 404 or 400 with its message.
         *
         * @param pathArguments values of the query's parameters in their order, then those of the path
         */
        Object run(List<String> pathArguments);
    }
}
