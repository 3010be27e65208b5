package io.understudy.admin;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.understudy.plugin.PublishedStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** An admin endpoint with views and actions of each kind, and a client of it. */
abstract class AdminHarness {
    static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    static final String TOKEN = "s3cret-token";

    /** An endless stream with one line at its beginning. */
    static final class Ticks implements PublishedStream {
        @Override
        public String contentType() {
            return "text/plain";
        }

        @Override
        public Reader open(Map<String, String> parameters, Runnable ready) {
            return new Reader() {
                private boolean taken;

                @Override
                public byte @Nullable [] take() {
                    if (taken) {
                        return null;
                    }
                    taken = true;
                    return "tick\n".getBytes(StandardCharsets.US_ASCII);
                }

                @Override
                public boolean ended() {
                    return false;
                }

                @Override
                public void close() {}
            };
        }
    }

    record Standby(String name, double lagSeconds) {}

    final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    final List<String> reasons = new CopyOnWriteArrayList<>();
    final List<Map<String, String>> paused = new CopyOnWriteArrayList<>();
    final CountDownLatch slow = new CountDownLatch(1);
    final CountDownLatch slowBegan = new CountDownLatch(1);
    final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    final AdminEndpoints endpoints = new AdminEndpoints()
            .view("primary", () -> Map.of("address", "db2:3306"))
            .action("primary", parameters -> Map.of("address", "db2:3306"))
            .control("primary")
            .view("standbys", () -> List.of(new Standby("standby-1", 0.25)))
            .view("broken", () -> {
                throw new UnsupportedOperationException("no such thing");
            })
            .view("nothing-yet", () -> {
                throw new IllegalStateException("no standby can be queried");
            })
            .publicStream("ticks", new Ticks())
            .view("slow", () -> {
                try {
                    slowBegan.countDown();
                    slow.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return "done";
            })
            .sensitiveView("digests", () -> Map.of("sql", "SELECT 1"), () -> Map.of("digest", "abc"))
            .sensitiveView("sessions", () -> Map.of("sql", "SELECT 2"))
            .action("reload", parameters -> Map.of("reloaded", true))
            .action("mirror/{standby}/pause", parameters -> {
                if (!"standby-1".equals(parameters.get("standby"))) {
                    throw new IllegalArgumentException("there is no standby '" + parameters.get("standby") + "'");
                }
                paused.add(parameters);
                return Map.of("paused", true);
            })
            .action("mirror/{standby}/skip/{table}", parameters -> parameters)
            .action("drain", parameters -> {
                throw new IOException("disk full");
            });
    AdminServer server;

    @BeforeEach
    void start() throws IOException {
        server = AdminServer.start(ANY, TOKEN, List.of(), null, registry, () -> reasons, endpoints);
    }

    @AfterEach
    void stop() {
        slow.countDown();
        server.close();
    }

    void restart(@Nullable String token, AdminServer.Limits limits) throws IOException {
        server.close();
        server = AdminServer.start(ANY, token, registry, () -> reasons, endpoints, limits);
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.address().getPort() + path);
    }

    HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.timeout(Duration.ofSeconds(30)).build(), BodyHandlers.ofString());
    }

    HttpResponse<String> get(String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path));
        return send(headers.length == 0 ? request : request.headers(headers));
    }

    HttpResponse<String> post(String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path)).POST(HttpRequest.BodyPublishers.noBody());
        return send(headers.length == 0 ? request : request.headers(headers));
    }

    static String[] bearer(String token) {
        return new String[] {"Authorization", "Bearer " + token};
    }
}
