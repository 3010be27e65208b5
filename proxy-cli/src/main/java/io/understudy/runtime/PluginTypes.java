package io.understudy.runtime;

import io.understudy.host.PluginLoader;
import io.understudy.plugin.ProxyPlugin;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The installed plugins and the records that their sections of the configuration are bound to. */
public final class PluginTypes {
    /** Set by the launcher: the folder that the distribution was unpacked to. */
    private static final String HOME = "understudy.home";

    private final Map<String, ProxyPlugin<?>> plugins;

    private PluginTypes(Map<String, ProxyPlugin<?>> plugins) {
        this.plugins = plugins;
    }

    public static PluginTypes installed() {
        String home = System.getProperty(HOME, ".");
        return new PluginTypes(PluginLoader.load(Path.of(home, "plugins")));
    }

    public Map<String, ProxyPlugin<?>> plugins() {
        return plugins;
    }

    public Map<String, Class<? extends Record>> records() {
        Map<String, Class<? extends Record>> types = new LinkedHashMap<>();
        plugins.forEach((id, plugin) -> types.put(id, plugin.configType()));
        return types;
    }
}
