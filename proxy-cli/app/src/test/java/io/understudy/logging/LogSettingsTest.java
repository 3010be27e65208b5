package io.understudy.logging;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.config.LogConfig;
import io.understudy.config.LogFormat;
import io.understudy.config.LogLevel;
import io.understudy.host.PluginTypes;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LogSettingsTest {
    private static final Map<String, String> PLUGINS = PluginTypes.installed().packages();

    private static LogSettings settings(Map<String, LogLevel> levels) {
        return LogSettings.of(new LogConfig(LogFormat.TEXT, LogLevel.INFO, levels), PLUGINS);
    }

    @Test
    void theNearestNameDecides() {
        LogSettings settings = settings(Map.of(
                "mirror", LogLevel.WARN,
                "io.understudy.plugins.mirror.warmth", LogLevel.TRACE,
                "commit-latency", LogLevel.OFF,
                "session", LogLevel.DEBUG,
                "com.zaxxer.hikari.pool", LogLevel.DEBUG));
        assertThat(settings.level("io.understudy.plugins.mirror.MirrorPlugin")).isEqualTo(LogLevel.WARN);
        assertThat(settings.level("io.understudy.plugins.mirror.warmth.OwnLoadPolling"))
                .isEqualTo(LogLevel.TRACE);
        assertThat(settings.level("io.understudy.plugins.commitlatency.SlowCommits"))
                .isEqualTo(LogLevel.OFF);
        assertThat(settings.level("io.understudy.session.ClientSession")).isEqualTo(LogLevel.DEBUG);
        assertThat(settings.level("io.understudy.sessions.Other")).isEqualTo(LogLevel.INFO);
        assertThat(settings.level("com.zaxxer.hikari.pool.HikariPool")).isEqualTo(LogLevel.DEBUG);
        assertThat(settings.level("com.zaxxer.hikari.HikariDataSource")).isEqualTo(LogLevel.ERROR);
    }

    @Test
    void aPluginsLoggersAreNamedAfterIt() {
        LogSettings settings = settings(Map.of());
        assertThat(settings.plugin("io.understudy.plugins.mirror.warmth.OwnLoadPolling"))
                .isEqualTo("mirror");
        assertThat(settings.plugin("io.understudy.plugins.gtiddomain.X")).isEqualTo("gtid-domain");
        assertThat(settings.plugin("io.understudy.plugins.binlog.BinlogDump")).isNull();
        assertThat(settings.plugin("io.understudy.session.ClientSession")).isNull();
    }

    /** Otherwise a level by that name would have no effect. */
    @Test
    void everyPartIsAFolder() {
        for (String part : LogConfig.PARTS) {
            assertThat(LogConfig.class.getResource("/io/understudy/" + part + "/package-info.class"))
                    .as(part)
                    .isNotNull();
        }
    }
}
