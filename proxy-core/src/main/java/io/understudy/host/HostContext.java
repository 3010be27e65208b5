package io.understudy.host;

import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.plugin.LatencyRecorder;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.PrimaryBackend;
import io.understudy.plugin.StandbyBackend;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

/** One plugin's context. Any thread. */
public final class HostContext implements PluginContext, AutoCloseable {
    private static final int TASKS = 10_000;
    private static final int THREADS = 2;

    /** What all plugins share. */
    public record Shared(
            MeterRegistry meters,
            LatencyHistograms histograms,
            Clock clock,
            PrimaryBackend primary,
            List<StandbyBackend> standbys,
            Published published) {
        public Shared {
            standbys = List.copyOf(standbys);
        }
    }

    private final String plugin;
    private final Shared shared;
    private final BoundedScheduler executor;

    public HostContext(String plugin, Shared shared) {
        this.plugin = plugin;
        this.shared = shared;
        this.executor = new BoundedScheduler(THREADS, TASKS, "plugin-" + plugin);
    }

    @Override
    public MeterRegistry meters() {
        return shared.meters();
    }

    @Override
    public LatencyRecorder latency(String name, String description, String... tags) {
        return shared.histograms().series(name, description, tags)::record;
    }

    @Override
    public ScheduledExecutorService executor() {
        return executor;
    }

    @Override
    public Clock clock() {
        return shared.clock();
    }

    @Override
    public PrimaryBackend primary() {
        return shared.primary();
    }

    @Override
    public List<StandbyBackend> standbys() {
        return shared.standbys();
    }

    @Override
    public void publish(String name, Supplier<Object> view) {
        shared.published().publish(plugin, name, view);
    }

    @Override
    public void publishAction(String name, Action action) {
        shared.published().publishAction(plugin, name, action);
    }

    /** Ends the plugin's tasks; to be called after its stop. */
    @Override
    public void close() {
        executor.shutdownNow();
    }
}
