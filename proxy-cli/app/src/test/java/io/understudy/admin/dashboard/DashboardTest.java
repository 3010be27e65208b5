package io.understudy.admin.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.understudy.admin.AdminEndpoints;
import io.understudy.admin.AdminServer;
import io.understudy.admin.dashboard.Dashboard.LiveFeed;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.readiness.ReadinessGate;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The dashboard behind a real endpoint; time is passed in. */
@Timeout(60)
class DashboardTest {

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final AtomicInteger sessions = new AtomicInteger(3);
    private final AtomicInteger computed = new AtomicInteger();
    private final AtomicLong nanos = new AtomicLong();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final AdminEndpoints endpoints = new AdminEndpoints()
            .view("standbys", () -> {
                computed.incrementAndGet();
                return List.of(Map.of("standby", "a"));
            })
            .view("mirror", () -> {
                throw new IllegalStateException("no figures");
            })
            .view("domains", () -> "x".repeat(100_000))
            .sensitiveView("commits", () -> "SELECT 'secret'");
    private AdminServer server;
    private Dashboard dashboard;

    @BeforeEach
    void start() throws Exception {
        Gauge.builder("understudy.sessions", sessions, AtomicInteger::get).register(registry);
        dashboard = new Dashboard(
                endpoints,
                registry,
                new LatencyHistograms(),
                List::of,
                Clock.fixed(Instant.parse("2026-01-15T09:00:00Z"), ZoneOffset.UTC),
                nanos::get);
        server = AdminServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                "token",
                List.of(),
                null,
                registry,
                List::of,
                endpoints);
    }

    @AfterEach
    void stop() {
        dashboard.close();
        server.close();
    }

    private HttpRequest request(String path) {
        return HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.address().getPort() + path))
                .build();
    }

    private String get(String path) throws Exception {
        return client.send(request(path), BodyHandlers.ofString()).body();
    }

    private HttpResponse<InputStream> watch() throws Exception {
        return client.send(request("/events"), BodyHandlers.ofInputStream());
    }

    private static String event(HttpResponse<InputStream> stream, String topic) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8));
        String line;
        while ((line = lines.readLine()) != null) {
            if (line.equals("event: " + topic)) {
                return lines.readLine();
            }
        }
        throw new AssertionError("the stream ended before " + topic);
    }

    @Test
    void viewersGetTheFiguresAtOnceAndWithoutAToken() throws Exception {
        dashboard.tick();
        HttpResponse<InputStream> stream = watch();
        assertThat(stream.statusCode()).isEqualTo(200);
        assertThat(stream.headers().firstValue("content-type")).hasValue("text/event-stream; charset=utf-8");
        assertThat(event(stream, "now")).contains("\"sessions\":3.0", "\"warmth\":null");
        stream.body().close();
    }

    @Test
    void aFrameHasNoTextThatNeedsTheTokenAndNoLongView() throws Exception {
        dashboard.tick();
        String overview = get("/api/overview");
        assertThat(overview)
                .contains("\"standby\":\"a\"", "\"error\":\"no figures\"")
                .doesNotContain("secret");
        HttpResponse<InputStream> stream = watch();
        assertThat(event(stream, "domains")).isEqualTo("data: {\"tooLong\":true}");
        stream.body().close();
    }

    @Test
    void aFrameIsComputedOnceForAllAndNotForNobody() throws Exception {
        dashboard.tick();
        dashboard.frame();
        assertThat(computed).hasValue(0);
        List<HttpResponse<InputStream>> viewers = new ArrayList<>();
        for (int i = 0; i < LiveFeed.VIEWERS; i++) {
            viewers.add(watch());
        }
        await().until(() -> computed.get() > 0);
        int before = computed.get();
        dashboard.frame();
        assertThat(computed.get() - before).isLessThanOrEqualTo(LiveFeed.VIEWERS);
        HttpResponse<InputStream> more = watch();
        assertThat(more.statusCode()).isEqualTo(503);
        for (HttpResponse<InputStream> viewer : viewers) {
            viewer.body().close();
        }
        await().untilAsserted(() -> {
            HttpResponse<InputStream> later = watch();
            later.body().close();
            assertThat(later.statusCode()).as("the others have left").isEqualTo(200);
        });
    }

    @Test
    void theHistorySurvivesAReloadOfThePage() throws Exception {
        dashboard.tick();
        assertThat(get("/api/history/15m"))
                .contains("\"step\":10", "\"sessions\":[null,", "3.0]", "\"from\":1768466710");
        assertThat(get("/api/history/1y")).contains("there is no range '1y'");
        assertThat(get("/api/events")).isEqualTo("[]\n");
    }

    /** The page and {@code understudy ready} must not differ about the same lag. */
    @Test
    void thePageHasTheGatesLimits() throws Exception {
        try (InputStream in = Dashboard.class.getResourceAsStream("standby-answer.js")) {
            assertThat(new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8))
                    .contains("LAG_BLOCKS = " + ReadinessGate.LIMITS.lag().toSeconds() + ";")
                    .contains("LAG_WARNS = " + ReadinessGate.LIMITS.noticedLag().toSeconds() + ";");
        }
    }
}
