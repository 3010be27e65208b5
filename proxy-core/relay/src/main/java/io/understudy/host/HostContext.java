package io.understudy.host;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.understudy.metrics.LatencyHistogram;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.plugin.LatencyRecorder;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.Primary;
import io.understudy.plugin.PublishedStream;
import io.understudy.plugin.Standby;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** The context of one plugin, or of one instance that plugins share. Thread-safe. */
public final class HostContext implements PluginContext, AutoCloseable {
    private static final int TASKS = 10_000;
    private static final int THREADS = 2;
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{(\\w+)}");

    /** Objects shared by all plugins. */
    public record Shared(
            MeterRegistry meters,
            LatencyHistograms histograms,
            Clock clock,
            Primary primary,
            List<Standby> standbys,
            Published published,
            SharedInstances instances,
            MeterOwners owners) {
        public Shared {
            standbys = List.copyOf(standbys);
        }
    }

    private final String owner;
    private final Shared shared;
    private final BoundedScheduler executor;
    private final PluginMeters meters;
    /** Guarded by this: how to remove the latencies, by name and tags. */
    private final Map<Object, Runnable> latencies = new HashMap<>();

    private final IntSupplier olderSessions;
    private volatile boolean closed;

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
        meters = new PluginMeters(shared.meters(), owner, shared.owners());
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
    public synchronized LatencyRecorder latency(String name, String description, String... tags) {
        if (closed) {
            // A task of the stopped plugin still runs: nobody reads what it records.
            return new LatencyHistogram()::record;
        }
        Object series = List.of(name, Tags.of(tags).stream().toList());
        shared.owners().claim(series, this, owner);
        latencies.put(series, () -> shared.histograms().remove(name, tags));
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
    public synchronized void publish(String name, Supplier<Object> view) {
        refuseOnceClosed();
        shared.published().publish(owner, name, view);
    }

    @Override
    public synchronized void publishOfStandby(String standby, String key, Supplier<Object> figures) {
        refuseOnceClosed();
        shared.published().publishOfStandby(owner, standby, key, figures);
    }

    @Override
    public synchronized void publish(String name, Supplier<Object> full, Supplier<Object> redacted) {
        refuseOnceClosed();
        shared.published().publish(owner, name, full, redacted);
    }

    @Override
    public synchronized void publishStream(String name, PublishedStream stream) {
        refuseOnceClosed();
        shared.published().publishStream(owner, name, stream);
    }

    @Override
    public synchronized void publishAction(String name, Set<String> parameters, Action action) {
        refuseOnceClosed();
        shared.published().publishAction(owner, name, named("POST", name, parameters, action));
    }

    @Override
    public synchronized void publishQuery(String name, Set<String> parameters, Action view) {
        refuseOnceClosed();
        shared.published().publishQuery(owner, name, named("GET", name, parameters, view));
    }

    /** Returns an action that refuses parameters other than these and those of the path's placeholders. */
    private static Action named(String method, String path, Set<String> more, Action action) {
        Set<String> known = new TreeSet<>(more);
        PLACEHOLDER.matcher(path).results().forEach(match -> known.add(match.group(1)));
        return parameters -> {
            for (String name : parameters.keySet()) {
                if (!known.contains(name)) {
                    throw new IllegalArgumentException(
                            method + " /api/" + path + " has no parameter '" + name + "'; it has " + known);
                }
            }
            return action.run(parameters);
        };
    }

    /** A task that still ran when the plugin was stopped would leave behind what nobody withdraws. */
    private void refuseOnceClosed() {
        if (closed) {
            throw new IllegalStateException(owner + " has stopped and publishes nothing more");
        }
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
        synchronized (this) {
            closed = true;
        }
        shared.instances().release(this);
        executor.shutdownNow();
    }

    /** Closes the context of a plugin without which the proxy goes on: its meters and what it published are removed. */
    public void remove() {
        close();
        shared.published().withdraw(owner);
        meters.removeAll();
        synchronized (this) {
            latencies.values().forEach(Runnable::run);
            latencies.clear();
        }
        shared.owners().release(this);
    }
}
