package io.understudy.host;

import io.understudy.config.LoadedConfig;
import io.understudy.plugin.CheckedServer;
import io.understudy.plugin.ExplainedStatement;
import io.understudy.plugin.PluginDecision;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.StandbyFigures;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Finds the installed plugins and the records to which their configuration sections are bound. */
public final class PluginTypes {
    /** Set by the launcher to the folder of the unpacked distribution. */
    private static final String HOME = "understudy.home";

    private final Map<String, ProxyPlugin<?>> plugins;

    /** @param plugins by id, not started */
    public PluginTypes(Map<String, ProxyPlugin<?>> plugins) {
        this.plugins = plugins;
    }

    public static PluginTypes installed() {
        String home = System.getProperty(HOME, ".");
        return new PluginTypes(PluginLoader.load(Path.of(home, "plugins")));
    }

    public Map<String, ProxyPlugin<?>> plugins() {
        return plugins;
    }

    /**
     * A configured plugin, not started.
     *
     * @param config its section
     */
    public record Configured<C extends Record>(ProxyPlugin<C> plugin, C config) {
        /** See {@link ProxyPlugin#check}. */
        public void check(CheckedServer server) throws SQLException {
            plugin.check(config, server);
        }

        /** See {@link ProxyPlugin#monitorPrivileges}. */
        public List<String> monitorPrivileges() {
            return plugin.monitorPrivileges(config);
        }

        /** See {@link ProxyPlugin#figures}. */
        public StandbyFigures figures() {
            return plugin.figures(config);
        }
    }

    /** Returns the installed plugins that a configuration has, in its order. */
    public List<Configured<?>> configured(LoadedConfig loaded) {
        List<Configured<?>> all = new ArrayList<>();
        loaded.plugins().forEach((id, section) -> {
            ProxyPlugin<?> plugin = plugins.get(id);
            if (plugin != null) {
                all.add(configured(plugin, section));
            }
        });
        return all;
    }

    private static <C extends Record> Configured<C> configured(ProxyPlugin<C> plugin, Record section) {
        return new Configured<>(plugin, plugin.configType().cast(section));
    }

    /**
     * Returns by id what each installed plugin would do with a statement under a configuration, in its order; last
     * those that it does not have.
     */
    public Map<String, PluginDecision> explain(LoadedConfig loaded, ExplainedStatement statement) {
        Set<String> ids = new LinkedHashSet<>(loaded.plugins().keySet());
        ids.retainAll(plugins.keySet());
        ids.addAll(plugins.keySet());
        Map<String, PluginDecision> decisions = new LinkedHashMap<>();
        ids.forEach(id -> decisions.put(id, explain(Objects.requireNonNull(plugins.get(id)), loaded, statement)));
        return decisions;
    }

    private static <C extends Record> PluginDecision explain(
            ProxyPlugin<C> plugin, LoadedConfig loaded, ExplainedStatement statement) {
        return plugin.explain(plugin.configType().cast(loaded.plugins().get(plugin.id())), statement);
    }

    /** Returns the figures about standbys that a proxy with this configuration has. */
    public StandbyFigures figures(LoadedConfig loaded) {
        return configured(loaded).stream().map(Configured::figures).reduce(StandbyFigures.NONE, StandbyFigures::and);
    }

    /** Returns the packages that the plugins' classes are in, by id. */
    public Map<String, String> packages() {
        Map<String, String> packages = new LinkedHashMap<>();
        plugins.forEach((id, plugin) -> packages.put(id, plugin.getClass().getPackageName()));
        return packages;
    }

    public Map<String, Class<? extends Record>> records() {
        Map<String, Class<? extends Record>> types = new LinkedHashMap<>();
        plugins.forEach((id, plugin) -> types.put(id, plugin.configType()));
        return types;
    }
}
