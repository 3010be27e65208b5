package io.understudy.host;

import io.understudy.metrics.CoreMetrics;
import io.understudy.plugin.Interest;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The configured plugins in the order of the configuration: started before the first session, stopped after the last.
 * {@link #openSession} may be called by any event loop; the other methods by one management thread.
 */
public final class PluginHost {
    private static final Logger log = LoggerFactory.getLogger(PluginHost.class);

    private record Running(ProxyPlugin<Record> plugin, Record config) {}

    private final CoreMetrics metrics;
    private volatile List<Running> running = List.of();

    public PluginHost(CoreMetrics metrics) {
        this.metrics = metrics;
    }

    /**
     * Starts the plugins that have a configuration.
     *
     * @throws PluginStartException if one cannot work; those already started are stopped again
     */
    public void start(
            Map<String, ProxyPlugin<?>> available,
            Map<String, Record> configs,
            Function<String, PluginContext> contextOf)
            throws PluginStartException {
        List<Running> started = new ArrayList<>();
        for (Map.Entry<String, Record> entry : configs.entrySet()) {
            ProxyPlugin<Record> plugin = untyped(available.get(entry.getKey()));
            if (plugin == null) {
                throw new PluginStartException(entry.getKey(), "no such plugin is installed", null);
            }
            try {
                plugin.start(contextOf.apply(entry.getKey()), entry.getValue());
            } catch (Exception | LinkageError e) {
                stopAll(started);
                throw new PluginStartException(entry.getKey(), e.getMessage(), e);
            }
            started.add(new Running(plugin, entry.getValue()));
            log.info("plugin {} started", entry.getKey());
        }
        running = List.copyOf(started);
    }

    @SuppressWarnings({"unchecked", "NullAway"})
    private static ProxyPlugin<Record> untyped(@org.jspecify.annotations.Nullable ProxyPlugin<?> plugin) {
        return (ProxyPlugin<Record>) plugin;
    }

    /** Returns the configuration of each running plugin, by id. Thread-safe. */
    public Map<String, Record> configs() {
        Map<String, Record> configs = new LinkedHashMap<>();
        running.forEach(one -> configs.put(one.plugin().id(), one.config()));
        return configs;
    }

    /**
     * Passes each running plugin its new configuration if it differs.
     *
     * @return what could not be applied, one sentence each; empty if all of it took effect
     */
    public List<String> reload(Map<String, Record> configs) {
        List<String> problems = new ArrayList<>();
        List<Running> next = new ArrayList<>();
        Map<String, Record> left = new LinkedHashMap<>(configs);
        for (Running current : running) {
            String id = current.plugin().id();
            Record wanted = left.remove(id);
            if (wanted == null) {
                problems.add("plugins." + id + " was removed: takes effect after a restart");
                next.add(current);
            } else if (wanted.equals(current.config())) {
                next.add(current);
            } else {
                next.add(applied(current, wanted, problems));
            }
        }
        for (String id : left.keySet()) {
            problems.add("plugins." + id + " was added: takes effect after a restart");
        }
        running = List.copyOf(next);
        return problems;
    }

    private static Running applied(Running current, Record wanted, List<String> problems) {
        try {
            current.plugin().reload(wanted);
            return new Running(current.plugin(), wanted);
        } catch (RuntimeException e) {
            problems.add("plugins." + current.plugin().id() + " keeps its old configuration: " + e.getMessage());
            return current;
        }
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
        String where = "openSession";
        try {
            SessionObserver observer = plugin.openSession(session);
            where = "interests";
            return new SessionPlugin(plugin.id(), observer, observer.interests());
        } catch (Throwable fault) {
            faulted(session, plugin.id(), where, fault);
            return new SessionPlugin(plugin.id(), SessionObserver.NONE, Interest.NONE);
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

    public void stop() {
        stopAll(running);
        running = List.of();
    }

    private static void stopAll(List<Running> plugins) {
        for (Running current : plugins) {
            try {
                current.plugin().stop();
            } catch (RuntimeException e) {
                log.error("plugin {} failed to stop", current.plugin().id(), e);
            }
        }
    }
}
