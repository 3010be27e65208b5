package io.understudy.plugins.capture;

import io.micrometer.core.instrument.Gauge;
import io.understudy.base.Durations;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.sql.LiteralHash;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Plugin {@code capture}: {@code POST /api/capture/start} and {@code stop}, {@code GET /api/capture}. */
public final class CapturePlugin implements ProxyPlugin<CaptureConfig> {
    private static final long WRITE_MILLIS = 10_000;
    /** Parameter of the start: the time after which the capture ends, such as {@code 10m}. */
    private static final String TIME = "for";

    private final LiteralHash hash = LiteralHash.withRandomKey();
    private volatile @Nullable Capture capture;
    private @Nullable CaptureMeters meters;
    private @Nullable PluginContext context;
    private volatile @Nullable CaptureConfig config;
    private boolean stopped;

    @Override
    public String id() {
        return "capture";
    }

    @Override
    public Class<CaptureConfig> configType() {
        return CaptureConfig.class;
    }

    @Override
    public void start(PluginContext pluginContext, CaptureConfig initial) {
        context = pluginContext;
        config = initial;
        meters = new CaptureMeters(pluginContext.meters());
        Gauge.builder("understudy.capture.active", this, own -> own.active() == null ? 0 : 1)
                .description("Whether a capture runs")
                .register(pluginContext.meters());
        pluginContext.publish("capture", this::view);
        pluginContext.publishAction("capture/start", Set.of(TIME), this::begin);
        pluginContext.publishAction("capture/stop", parameters -> end());
    }

    /** Applies to the next capture. */
    @Override
    public synchronized void reload(CaptureConfig next) {
        config = next;
    }

    private synchronized Object begin(Map<String, String> parameters) {
        PluginContext services = Objects.requireNonNull(context, "not started");
        String given = parameters.get(TIME);
        Duration time = given == null ? null : Durations.parse(given);
        if (stopped) {
            // The request came before the plugin was removed.
            throw new IllegalArgumentException("the capture plugin was removed");
        }
        if (active() != null) {
            throw new IllegalArgumentException("a capture runs already; stop it first");
        }
        Capture before = capture;
        try {
            if (before != null) {
                before.await(WRITE_MILLIS);
            }
            capture =
                    new Capture(Objects.requireNonNull(config), Objects.requireNonNull(meters), services.clock(), time);
        } catch (IOException e) {
            throw new IllegalArgumentException("no capture: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return view();
    }

    private synchronized Object end() {
        Capture running = capture;
        if (running == null) {
            throw new IllegalArgumentException("no capture was started");
        }
        finish(running);
        return view();
    }

    private static void finish(Capture running) {
        running.stop(Capture.REQUESTED);
        try {
            running.await(WRITE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Object view() {
        Capture last = capture;
        Map<String, Object> view = new LinkedHashMap<>();
        if (last == null) {
            view.put("active", false);
        } else {
            view.putAll(last.view());
        }
        view.put("skipped", Objects.requireNonNull(meters).skipped());
        return view;
    }

    /** Returns the running capture, or null. */
    @Nullable
    Capture active() {
        Capture running = capture;
        return running != null && running.isActive() ? running : null;
    }

    /** Returns whether sessions that begin now may have to hash rows. */
    boolean mayHashResults() {
        CaptureConfig now = config;
        return now != null && now.results() == Results.HASH;
    }

    LiteralHash hash() {
        return hash;
    }

    @Override
    public SessionObserver openSession(SessionContext session) {
        return new CaptureObserver(this, session);
    }

    @Override
    public synchronized void stop() {
        stopped = true;
        Capture running = capture;
        if (running != null) {
            finish(running);
            capture = null;
        }
    }
}
