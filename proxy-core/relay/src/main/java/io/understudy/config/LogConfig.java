package io.understudy.config;

import io.understudy.config.bind.Checks;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The log of {@code run}, on the standard error stream.
 *
 * @param format of a line
 * @param level which events are logged, where {@code levels} says nothing else
 * @param levels the same for a plugin (by its id), a part of the proxy ({@link #PARTS}), or a package or class (a name
 *     with a dot)
 */
public record LogConfig(LogFormat format, LogLevel level, Map<String, LogLevel> levels) {

    /** Folders of the proxy that log, and that have a level by their name. */
    public static final List<String> PARTS = List.of(
            "admin",
            "config",
            "connection",
            "host",
            "readiness",
            "rehearsal",
            "relay",
            "rules",
            "runtime",
            "server",
            "session");

    public LogConfig {
        format = format == null ? LogFormat.TEXT : format;
        level = level == null ? LogLevel.INFO : level;
        levels = levels == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(levels));
        new Checks()
                .that(level != LogLevel.OFF, "level", "off hides why the proxy fails; the least is error")
                .done();
    }
}
