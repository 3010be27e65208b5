package io.understudy.runtime;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.LiveConfig;
import io.understudy.config.ConfigDiff;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Content of {@code /api/config}: the configuration that runs against the file that was loaded last. Thread-safe. */
final class ConfigView {
    private final LiveConfig config;
    private final Clock clock;
    private volatile Loaded loaded;

    private record Loaded(String sha, String when, @Nullable Map<String, Object> last) {}

    ConfigView(LiveConfig config, MeterRegistry meters, Clock clock) {
        this.config = config;
        this.clock = clock;
        loaded = new Loaded(config.current().sha(), now(), null);
        Gauge.builder(
                        "understudy.config.restart.pending",
                        () -> config.pending().isEmpty() ? 0 : 1)
                .description("1 while the file asks for what takes a restart")
                .register(meters);
    }

    private String now() {
        return clock.instant().truncatedTo(ChronoUnit.MILLIS).toString();
    }

    void applied(Map<String, Object> response) {
        loaded = new Loaded(config.current().sha(), now(), response);
    }

    /** The file has an error: what was loaded before stays. */
    void refused(Map<String, Object> response) {
        loaded = new Loaded(loaded.sha(), loaded.when(), response);
    }

    Map<String, Object> full() {
        Map<String, Object> view = view(true);
        Map<String, Object> last = loaded.last();
        if (last != null) {
            view.put("last", last);
        }
        return view;
    }

    /** Without values and without the problems of a file, which may quote it. */
    Map<String, Object> redacted() {
        return view(false);
    }

    private Map<String, Object> view(boolean values) {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (ConfigDiff.Change change : config.pending()) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("path", change.path());
            if (values) {
                row.put("running", change.from());
                row.put("file", change.to());
            }
            rows.add(row);
        }
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("sha", loaded.sha());
        view.put("loaded", loaded.when());
        view.put("restartPending", !rows.isEmpty());
        view.put("pending", rows);
        List<Map<String, Object>> without = new ArrayList<>();
        config.olderSessions().forEach((plugin, sessions) -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("plugin", plugin);
            row.put("sessions", sessions);
            without.add(row);
        });
        view.put("sessionsWithout", without);
        return view;
    }
}
