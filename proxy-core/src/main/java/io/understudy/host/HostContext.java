package io.understudy.host;

import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.plugin.LatencyRecorder;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.Primary;
import io.understudy.plugin.PublishedStream;
import io.understudy.plugin.Standby;
import java.time.Clock;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** The context of one plugin, or of one instance that plugins share. Thread-safe. */
public final class HostContext implements PluginContext, AutoCloseable {
    private static final int TASKS = 10_000;
    private static final int THREADS = 2;

    /** Objects shared by all plugins. */
    public record Shared(
            MeterRegistry meters,
            LatencyHistograms histograms,
            Clock clock,
            Primary primary,
            List<Standby> standbys,
            Published published,
            SharedInstances instances) {
        public Shared {
            standbys = List.copyOf(standbys);
        }
    }

    private final String owner;
    private final Shared shared;
    private final BoundedScheduler executor;
    private final PluginMeters meters;
    private final Queue<Runnable> latencies = new ConcurrentLinkedQueue<>();
    private final IntSupplier olderSessions;
    private volatile boolean closed;

    /** Creates the context of a plugin that observes every session. */
    public HostContext(String plugin, Shared shared) {
        this(plugin, shared, () -> 0);
    }

    /**
     * Creates a plugin's context.
     *
     * @param olderSessions see {@link PluginContext#olderSessions}
     */
    public HostContext(String plugin, Shared shared, IntSupplier olderSessions) {
        this(plugin, shared, new BoundedScheduler(THREADS, TASKS, "plugin-" + plugin), olderSessions);
    }

    private HostContext(String owner, Shared shared, BoundedScheduler executor, IntSupplier olderSessions) {
        this.owner = owner;
        this.shared = shared;
        this.executor = executor;
        this.olderSessions = olderSessions;
        meters = new PluginMeters(shared.meters());
    }

    /** Creates the context of a shared instance. */
    private HostContext ofInstance(Class<?> type) {
        String name = type.getSimpleName();
        return new HostContext(name, shared, new BoundedScheduler(1, TASKS, "shared-" + name), olderSessions);
    }

    @Override
    public MeterRegistry meters() {
        return meters;
    }

    @Override
    public LatencyRecorder latency(String name, String description, String... tags) {
        LatencyRecorder recorder = shared.histograms().series(name, description, tags)::record;
        latencies.add(() -> shared.histograms().remove(name, tags));
        return recorder;
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
    public Primary primary() {
        return shared.primary();
    }

    @Override
    public List<Standby> standbys() {
        return shared.standbys();
    }

    @Override
    public <T extends AutoCloseable> T shared(Class<T> type, Function<PluginContext, T> create) {
        return shared.instances().get(this, type, () -> ofInstance(type), create);
    }

    @Override
    public void publish(String name, Supplier<Object> view) {
        shared.published().publish(owner, name, view);
    }

    @Override
    public void publishOfStandby(String standby, String key, Supplier<Object> figures) {
        shared.published().publishOfStandby(owner, standby, key, figures);
    }

    @Override
    public void publish(String name, Supplier<Object> full, Supplier<Object> redacted) {
        shared.published().publish(owner, name, full, redacted);
    }

    @Override
    public void publishStream(String name, PublishedStream stream) {
        shared.published().publishStream(owner, name, stream);
    }

    @Override
    public void publishAction(String name, Set<String> parameters, Action action) {
        shared.published().publishAction(owner, name, new NamedParameters(name, parameters, action));
    }

    @Override
    public int olderSessions() {
        return olderSessions.getAsInt();
    }

    String owner() {
        return owner;
    }

    boolean closed() {
        return closed;
    }

    /** Cancels the plugin's tasks and releases its shared instances. Called after the plugin's stop. */
    @Override
    public void close() {
        closed = true;
        shared.instances().release(this);
        executor.shutdownNow();
    }

    /** Closes the context of a plugin without which the proxy goes on: its meters and what it published are removed. */
    public void remove() {
        close();
        shared.published().withdraw(owner);
        meters.removeAll();
        latencies.forEach(Runnable::run);
        latencies.clear();
    }
}
