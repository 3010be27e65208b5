package io.understudy.logging;

import io.understudy.config.LogConfig;
import io.understudy.config.LogFormat;
import io.understudy.config.LogLevel;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The log's part of the configuration, by the names of loggers. Immutable.
 *
 * @param levels by the beginning of a name, up to a dot
 * @param plugins ids by package
 */
record LogSettings(LogFormat format, LogLevel level, Map<String, LogLevel> levels, Map<String, String> plugins) {
    private static final String ROOT = "io.understudy.";

    /** Libraries whose warnings repeat what the proxy says itself. */
    private static final Map<String, LogLevel> LIBRARIES = Map.of(
            "com.zaxxer.hikari", LogLevel.ERROR,
            "ch.vorburger", LogLevel.WARN,
            "org.mariadb", LogLevel.ERROR,
            "io.netty", LogLevel.WARN);

    LogSettings {
        levels = Map.copyOf(levels);
        plugins = Map.copyOf(plugins);
    }

    static LogSettings of(LogLevel level) {
        return new LogSettings(LogFormat.TEXT, level, LIBRARIES, Map.of());
    }

    /** @param packages of the plugins, by id */
    static LogSettings of(LogConfig config, Map<String, String> packages) {
        Map<String, LogLevel> levels = new LinkedHashMap<>(LIBRARIES);
        config.levels().forEach((name, level) -> levels.put(logger(name, packages), level));
        Map<String, String> plugins = new LinkedHashMap<>();
        packages.forEach((id, where) -> plugins.put(where, id));
        return new LogSettings(config.format(), config.level(), levels, plugins);
    }

    private static String logger(String name, Map<String, String> packages) {
        String plugin = packages.get(name);
        if (plugin != null) {
            return plugin;
        }
        return name.indexOf('.') >= 0 ? name : ROOT + name;
    }

    /** Returns the level of the longest beginning that is configured. */
    LogLevel level(String logger) {
        LogLevel found = nearest(levels, logger);
        return found == null ? level : found;
    }

    /** Returns the id of the plugin whose package holds the logger, or null. */
    @Nullable
    String plugin(String logger) {
        return nearest(plugins, logger);
    }

    private static <T> @Nullable T nearest(Map<String, T> byPrefix, String logger) {
        for (String prefix = logger; ; prefix = prefix.substring(0, prefix.lastIndexOf('.'))) {
            T found = byPrefix.get(prefix);
            if (found != null || prefix.lastIndexOf('.') < 0) {
                return found;
            }
        }
    }
}
