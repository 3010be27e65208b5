package io.understudy.host;

import io.understudy.plugin.ProxyPlugin;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Finds the installed plugins and the records to which their configuration sections are bound. */
public final class PluginTypes {
    /** Set by the launcher to the folder of the unpacked distribution. */
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
