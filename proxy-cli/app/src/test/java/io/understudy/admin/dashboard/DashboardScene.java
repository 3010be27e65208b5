package io.understudy.admin.dashboard;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.understudy.admin.AdminEndpoints;
import io.understudy.admin.AdminServer;
import io.understudy.admin.Readiness;
import io.understudy.base.JsonReader;
import io.understudy.metrics.LatencyHistogram;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.testkit.ManualClock;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;

/**
 * An endpoint with the dashboard that shows figures of a made-up moment. The views begin as a running demo's, which
 * {@code src/test/resources/dashboard} has recorded; a test changes what its situation needs.
 */
@NullUnmarked // JSON without a schema: a missing part fails the test
final class DashboardScene implements AutoCloseable {

    final Map<String, Object> views = new LinkedHashMap<>();
    final Map<String, Double> gauges = new LinkedHashMap<>();
    final List<String> reasons = new ArrayList<>();
    final List<String> warnings = new ArrayList<>();
    /** The readiness gate's report on every standby. */
    final Map<String, Object> readiness = new LinkedHashMap<>(Map.of("verdict", "yes", "findings", List.of()));
    /** Statements that the mirror drops, and executes, in each sample. */
    long dropped;

    long mirrored;
    long commandsASecond;
    /** Share by which the load rises and falls in waves. */
    double waves;
    /** Conflicts of domains, counted so many samples before the end. */
    int conflictAgo = -1;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final LatencyHistograms histograms = new LatencyHistograms();
    private final ManualClock clock = new ManualClock(Instant.now().truncatedTo(ChronoUnit.SECONDS));
    private final AdminEndpoints endpoints = new AdminEndpoints();
    private Dashboard dashboard;
    private AdminServer server;

    DashboardScene() throws Exception {
        for (String name : List.of("standbys", "mirror", "commits", "domains", "steering", "sessions", "digests")) {
            try (InputStream in = DashboardScene.class.getResourceAsStream("/dashboard/" + name + ".json")) {
                views.put(name, JsonReader.read(new String(in.readAllBytes(), StandardCharsets.UTF_8)));
            }
        }
        views.put("build", Map.of("version", "1.2.3", "commit", "abc"));
        gauges.put("understudy.sessions", 9.0);
        gauges.put("understudy.primary.up", 1.0);
        gauges.put("understudy.standby.up", 1.0);
        gauges.put("understudy.standby.lag.seconds", 0.2);
        gauges.put("understudy.standby.warmth", 0.14);
        gauges.put("understudy.mirror.queue.statements", 2.0);
        commandsASecond = 1000;
    }

    @SuppressWarnings("unchecked")
    Map<String, Object> part(Object view, Object... path) {
        Object at = view;
        for (Object step : path) {
            at = step instanceof Integer index ? ((List<?>) at).get(index) : ((Map<?, ?>) at).get(step);
        }
        return (Map<String, Object>) at;
    }

    /** Returns the scene's time as JSON has it, so many seconds before its end. */
    String ago(long seconds) {
        return clock.instant().minusSeconds(seconds).toString();
    }

    /** Starts the endpoint after {@code steps} samples of ten seconds. Returns its address. */
    String start(int steps) throws Exception {
        views.forEach((name, view) -> endpoints.view(name, () -> view));
        endpoints.viewOf("standbys/{name}/readiness/recent", parameters -> readiness);
        gauges.forEach((name, value) ->
                Gauge.builder(name, () -> value).tag("standby", "standby-1").register(registry));
        registry.counter("understudy.commits.unacknowledged");
        Readiness ready = new Readiness() {
            @Override
            public List<String> reasons() {
                return reasons;
            }

            @Override
            public List<String> warnings() {
                return warnings;
            }
        };
        dashboard = new Dashboard(
                endpoints,
                registry,
                histograms,
                ready,
                clock,
                () -> TimeUnit.SECONDS.toNanos(clock.instant().getEpochSecond()));
        LatencyHistogram times = histograms.series("understudy_command_seconds", "", "kind", "select");
        LatencyHistogram commits = histograms.series("understudy_commit_seconds", "", "kind", "commit");
        Counter conflicts = registry.counter("understudy.gtid.domain.conflicts", "kind", "transaction");
        clock.advance(Duration.ofSeconds(-10L * steps));
        for (int i = 0; i < steps; i++) {
            double wave = 1 + waves * (Math.sin(i / 7.0) + 0.4 * Math.sin(i / 2.3));
            registry.counter("understudy.commands", "command", "query").increment(10 * commandsASecond * wave);
            registry.counter("understudy.mirror.dropped", "reason", "queue_full")
                    .increment((double) dropped);
            registry.counter("understudy.mirror.statements", "outcome", "ok").increment((double) mirrored);
            if (i == steps - 1 - conflictAgo) {
                conflicts.increment();
            }
            for (int one = 0; one < Math.min(20, commandsASecond); one++) {
                times.record(Math.round(TimeUnit.MICROSECONDS.toNanos(300 + 50L * one) * wave));
                commits.record(Math.round(TimeUnit.MILLISECONDS.toNanos(20 + one) * wave));
            }
            if (waves > 0) {
                histograms
                        .series("understudy_proxy_overhead_seconds", "")
                        .record(Math.round(TimeUnit.MICROSECONDS.toNanos(45) * wave));
                histograms
                        .series("understudy_commit_semisync_wait_seconds", "")
                        .record(Math.round(TimeUnit.MILLISECONDS.toNanos(21) * wave));
                histograms
                        .series("understudy_mirror_seconds", "")
                        .record(Math.round(TimeUnit.MICROSECONDS.toNanos(900) * wave));
                registry.counter("understudy.mirror.statements", "outcome", "ok")
                        .increment(4 * commandsASecond * wave);
            }
            clock.advance(Duration.ofSeconds(10));
            dashboard.tick();
        }
        server = AdminServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                "token",
                List.of(),
                null,
                registry,
                ready,
                endpoints);
        return "http://127.0.0.1:" + server.address().getPort() + "/";
    }

    @Override
    public void close() {
        dashboard.close();
        server.close();
    }
}
