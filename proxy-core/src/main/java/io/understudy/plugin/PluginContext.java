package io.understudy.plugin;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
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

    PrimaryBackend primary();

    List<StandbyBackend> standbys();

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
        /** Returns what to answer; an {@link IllegalArgumentException} becomes a 404 or 400 with its message. */
        Object run(List<String> pathArguments);
    }
}
