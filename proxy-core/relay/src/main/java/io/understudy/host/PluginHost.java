package io.understudy.host;

import io.understudy.config.NotApplied;
import io.understudy.metrics.CoreMetrics;
import io.understudy.plugin.Interest;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The configured plugins in the order of the configuration. A reload may start and stop some while sessions exist.
 * Thread-safe: {@link #openSession} is called by event loops, the changes wait for each other.
 */
public final class PluginHost {
    private static final Logger log = LoggerFactory.getLogger(PluginHost.class);

    private record Running(ProxyPlugin<Record> plugin, Record config) {
        String id() {
            return plugin.id();
        }
    }

    /** The plugins' surroundings: their contexts, and the sessions that they observe. */
    @FunctionalInterface
    public interface Surroundings {
        /** Returns the context of a plugin that is about to start. */
        PluginContext context(String plugin);

        /** Called when plugins that a reload has added are asked for the observers of new sessions. */
        default void joined(Collection<String> plugins) {}

        /** Takes the observers of plugins out of all sessions. The future completes when the last session is done. */
        default CompletableFuture<Void> leave(Collection<String> plugins) {
            return CompletableFuture.completedFuture(null);
        }

        /** Removes the context of a plugin that has stopped. */
        default void removed(String plugin) {}
    }

    /** An event loop that takes longer has a fault of its own. */
    private static final Duration LEAVE = Duration.ofSeconds(5);

    private final CoreMetrics metrics;
    private final Duration longestLeave;
    private Map<String, ProxyPlugin<?>> installed = Map.of();
    /** Of these plugins, the instance that was found has been started; each later start gets a new one. */
    private final Set<String> used = new HashSet<>();

    private Surroundings surroundings = plugin -> {
        throw new IllegalStateException("not started");
    };
    private volatile List<Running> running = List.of();
    /** Plugins that were warned of an interest that has no effect. */
    private final Set<String> withoutGtids = ConcurrentHashMap.newKeySet();

    /** Removed plugins that old sessions still use, by id. Guarded by this. */
    private final Map<String, Running> departing = new LinkedHashMap<>();

    private boolean stopped;

    public PluginHost(CoreMetrics metrics) {
        this(metrics, LEAVE);
    }

    /** @param longestLeave how long a reload waits for sessions to leave a plugin */
    PluginHost(CoreMetrics metrics, Duration longestLeave) {
        this.metrics = metrics;
        this.longestLeave = longestLeave;
    }

    /**
     * Starts the plugins that have a configuration.
     *
     * @throws PluginStartException if one cannot work; those already started are stopped again
     */
    public synchronized void start(
            Map<String, ProxyPlugin<?>> available, Map<String, Record> configs, Surroundings around)
            throws PluginStartException {
        installed = available;
        surroundings = around;
        running = startAll(configs);
    }

    private List<Running> startAll(Map<String, Record> configs) throws PluginStartException {
        List<Running> started = new ArrayList<>();
        for (Map.Entry<String, Record> entry : configs.entrySet()) {
            try {
                started.add(startOne(entry.getKey(), entry.getValue()));
            } catch (PluginStartException e) {
                stopAll(started);
                throw e;
            }
        }
        return List.copyOf(started);
    }

    @SuppressWarnings("unchecked")
    private Running startOne(String id, Record config) throws PluginStartException {
        if (departing.containsKey(id)) {
            throw new PluginStartException(
                    id,
                    "sessions still leave its previous instance; reload again when the log says that it stopped",
                    null);
        }
        Running starting = new Running((ProxyPlugin<Record>) unstarted(id), config);
        try {
            starting.plugin().start(surroundings.context(id), config);
        } catch (Exception | Error e) {
            stopAll(List.of(starting));
            throw new PluginStartException(id, e.getMessage(), e);
        }
        log.info("plugin {} started", id);
        return starting;
    }

    private ProxyPlugin<?> unstarted(String id) throws PluginStartException {
        ProxyPlugin<?> first = installed.get(id);
        if (first == null) {
            throw new PluginStartException(id, "no such plugin is installed", null);
        }
        if (used.add(id)) {
            return first;
        }
        try {
            return first.getClass().getConstructor().newInstance();
        } catch (InvocationTargetException e) {
            throw new PluginStartException(id, "its constructor failed: " + e.getCause(), e);
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new PluginStartException(
                    id, "it has run before, and a new instance cannot be created (" + e + "); restart the proxy", e);
        }
    }

    /** Returns the configuration of each running plugin, by id. Thread-safe. */
    public Map<String, Record> configs() {
        Map<String, Record> configs = new LinkedHashMap<>();
        running.forEach(one -> configs.put(one.id(), one.config()));
        return configs;
    }

    /**
     * Starts plugins that were added, stops those that were removed, and passes the others their new configuration if
     * it differs. If one of those added cannot start, none comes and none goes.
     *
     * @param left gets what could not be applied
     */
    public synchronized void reload(Map<String, Record> configs, NotApplied left) {
        if (stopped) {
            return;
        }
        Map<String, Running> present = new LinkedHashMap<>();
        running.forEach(one -> present.put(one.id(), one));
        Map<String, Record> added = new LinkedHashMap<>(configs);
        added.keySet().removeAll(present.keySet());
        List<Running> leaving = new ArrayList<>(
                running.stream().filter(one -> !configs.containsKey(one.id())).toList());
        Map<String, Running> joining = new LinkedHashMap<>();
        try {
            startAll(added).forEach(one -> joining.put(one.id(), one));
        } catch (PluginStartException e) {
            log.debug("an added plugin does not start", e);
            left.failed().add(e.getMessage() + notChanged(added.keySet(), leaving));
            leaving.forEach(one -> present.put(one.id(), one));
            leaving.clear();
        }
        replace(present, joining, leaving, configs, left);
    }

    private static String notChanged(Set<String> added, List<Running> leaving) {
        String others = Stream.concat(
                        added.stream().map(id -> id + " is not added"),
                        leaving.stream().map(one -> one.id() + " is not removed"))
                .collect(Collectors.joining(", "));
        return "; the running plugins stay (" + others + ") until a reload of a file with which they start";
    }

    /** Has new sessions observed by the new set, in the order of the file, and stops the plugins that leave it. */
    private void replace(
            Map<String, Running> present,
            Map<String, Running> joining,
            List<Running> leaving,
            Map<String, Record> configs,
            NotApplied left) {
        List<Running> next = new ArrayList<>();
        configs.forEach((id, wanted) -> {
            Running current = present.remove(id);
            Running started = joining.get(id);
            if (started != null) {
                next.add(started);
            } else if (current != null) {
                next.add(wanted.equals(current.config()) ? current : applied(current, wanted, left));
            }
        });
        leaving.forEach(one -> present.remove(one.id()));
        next.addAll(present.values());
        running = List.copyOf(next);
        surroundings.joined(joining.keySet());
        if (!leaving.isEmpty()) {
            depart(leaving, left);
        }
    }

    /** Stops plugins when no session calls them any more: now or, if a session takes too long, when it has left. */
    private void depart(List<Running> leaving, NotApplied left) {
        List<String> ids = leaving.stream().map(Running::id).toList();
        CompletableFuture<Void> done = surroundings.leave(ids);
        if (isDone(done)) {
            stopAll(leaving);
            return;
        }
        leaving.forEach(one -> departing.put(one.id(), one));
        left.waits()
                .add("plugins." + String.join(", ", ids)
                        + ": new sessions do without, but older ones have not left within " + longestLeave.toSeconds()
                        + " s; stopped when they have");
        done.thenRunAsync(() -> stopDeparted(leaving), PluginHost::inThread);
    }

    private boolean isDone(CompletableFuture<Void> left) {
        try {
            left.get(longestLeave.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            log.error("sessions failed to leave plugins", e);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** The last session to leave is on its event loop, where no plugin may be stopped. */
    private static void inThread(Runnable task) {
        Thread thread = new Thread(task, "plugin-departure");
        thread.setDaemon(true);
        thread.start();
    }

    private synchronized void stopDeparted(List<Running> left) {
        stopAll(left.stream().filter(one -> departing.remove(one.id(), one)).toList());
    }

    private static Running applied(Running current, Record wanted, NotApplied left) {
        String kept = "plugins." + current.id() + " keeps its old configuration: ";
        try {
            current.plugin().reload(wanted);
            return new Running(current.plugin(), wanted);
        } catch (RuntimeException | Error e) {
            if (e.getClass() == IllegalArgumentException.class) { // a refusal; its subclasses are faults
                left.waits().add(kept + e.getMessage());
            } else {
                log.error("plugin {} failed to reload", current.id(), e);
                left.failed().add(kept + e);
            }
        }
        return current;
    }

    /** Returns whether a session opened now may want GTIDs. Thread-safe. */
    public boolean wantsGtids() {
        for (Running current : running) {
            if ((current.plugin().possibleInterests() & Interest.GTIDS) != 0) {
                return true;
            }
        }
        return false;
    }

    /** Asks every plugin for its observer of a new session, and the observer for its interests. */
    public List<SessionPlugin> openSession(SessionContext session) {
        List<Running> plugins = running;
        List<SessionPlugin> opened = new ArrayList<>(plugins.size());
        for (Running current : plugins) {
            SessionPlugin plugin = open(current.plugin(), session);
            if (plugin.observer() != SessionObserver.NONE) {
                opened.add(plugin);
            }
        }
        return opened;
    }

    private SessionPlugin open(ProxyPlugin<Record> plugin, SessionContext session) {
        SessionObserver observer = SessionObserver.NONE;
        try {
            observer = plugin.openSession(session);
            int interests = observer.interests();
            if ((interests & Interest.GTIDS & ~plugin.possibleInterests()) != 0 && withoutGtids.add(plugin.id())) {
                log.warn(
                        "plugin {} gets no GTIDs of responses: its observers have Interest.GTIDS, but its"
                                + " possibleInterests() does not; the plugin's author must add it there",
                        plugin.id());
            }
            return new SessionPlugin(plugin.id(), observer, interests, observer.variables());
        } catch (Throwable fault) {
            faulted(session, plugin.id(), observer == SessionObserver.NONE ? "openSession" : "interests", fault);
            try {
                observer.onClose("retired");
            } catch (Throwable another) {
                faulted(session, plugin.id(), "onClose", another);
            }
            return new SessionPlugin(plugin.id(), SessionObserver.NONE, Interest.NONE, List.of());
        }
    }

    /** An observer has thrown; it is called no more. */
    public void faulted(SessionContext session, String plugin, String where, Throwable fault) {
        metrics.observerFault(plugin);
        log.atError()
                .addKeyValue("session", session.id())
                .addKeyValue("serverThreadId", session.serverThreadId())
                .addKeyValue("plugin", plugin)
                .setCause(fault)
                .log(
                        "plugin {} failed in {} and is out of session {}; the session goes on",
                        plugin,
                        where,
                        session.id());
    }

    /** Stops all plugins, for good. Their contexts stay open. */
    public synchronized void stop() {
        stopped = true;
        running.forEach(PluginHost::stopOne);
        running = List.of();
        departing.values().forEach(PluginHost::stopOne);
        departing.clear();
    }

    private void stopAll(List<Running> plugins) {
        for (Running current : plugins) {
            stopOne(current);
            surroundings.removed(current.id());
            log.info("plugin {} stopped", current.id());
        }
    }

    private static void stopOne(Running current) {
        try {
            current.plugin().stop();
        } catch (RuntimeException | Error e) {
            log.error("plugin {} failed to stop", current.id(), e);
        }
    }
}
