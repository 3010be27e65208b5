package io.understudy.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.understudy.plugin.PublishedStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AdminServerTest {

    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final String TOKEN = "s3cret-token";

    /** An endless stream with one line at its beginning. */
    private static final class Ticks implements PublishedStream {
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

    private record Standby(String name, double lagSeconds) {}

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final List<String> reasons = new CopyOnWriteArrayList<>();
    private final List<Map<String, String>> paused = new CopyOnWriteArrayList<>();
    private final CountDownLatch slow = new CountDownLatch(1);
    private final CountDownLatch slowBegan = new CountDownLatch(1);
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final AdminEndpoints endpoints = new AdminEndpoints()
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
    private AdminServer server;

    @BeforeEach
    void start() throws IOException {
        server = AdminServer.start(ANY, TOKEN, registry, () -> reasons, endpoints);
    }

    @AfterEach
    void stop() {
        slow.countDown();
        server.close();
    }

    private void restart(@Nullable String token, AdminServer.Limits limits) throws IOException {
        server.close();
        server = AdminServer.start(ANY, token, registry, () -> reasons, endpoints, limits);
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.address().getPort() + path);
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.timeout(Duration.ofSeconds(30)).build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path));
        return send(headers.length == 0 ? request : request.headers(headers));
    }

    private HttpResponse<String> post(String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path)).POST(HttpRequest.BodyPublishers.noBody());
        return send(headers.length == 0 ? request : request.headers(headers));
    }

    private static String[] bearer(String token) {
        return new String[] {"Authorization", "Bearer " + token};
    }

    @Test
    void servesBothMetricFormats() throws Exception {
        registry.counter("understudy.commands", "command", "query").increment(3);
        HttpResponse<String> plain = get("/metrics");
        assertThat(plain.statusCode()).isEqualTo(200);
        assertThat(plain.headers().firstValue("content-type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain; version=0.0.4"));
        assertThat(plain.body())
                .contains("understudy_commands_total{command=\"query\"} 3.0")
                .doesNotContain("# EOF");
        HttpResponse<String> open =
                get("/metrics", "Accept", "application/openmetrics-text;version=1.0.0,text/plain;q=0.5");
        assertThat(open.headers().firstValue("content-type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("application/openmetrics-text; version=1.0.0"));
        assertThat(open.body()).contains("understudy_commands_total").endsWith("# EOF\n");
    }

    @Test
    void healthFollowsReadiness() throws Exception {
        assertThat(get("/health/live").statusCode()).isEqualTo(200);
        assertThat(get("/health/ready").body()).isEqualTo("{\"status\":\"ready\"}\n");
        reasons.add("the primary does not respond");
        HttpResponse<String> ready = get("/health/ready");
        assertThat(ready.statusCode()).isEqualTo(503);
        assertThat(ready.body()).contains("\"reasons\":[\"the primary does not respond\"]");
        assertThat(get("/health/live").statusCode()).isEqualTo(200);
    }

    @Test
    void aFailingReadinessCheckIsReported() throws Exception {
        server.close();
        server = AdminServer.start(
                ANY,
                TOKEN,
                registry,
                () -> {
                    throw new IllegalStateException("state lost");
                },
                endpoints);
        HttpResponse<String> ready = get("/health/ready");
        assertThat(ready.statusCode()).isEqualTo(500);
        assertThat(ready.body()).contains("state lost");
    }

    @Test
    void servesViewsTheirListAndThePage() throws Exception {
        HttpResponse<String> view = get("/api/standbys");
        assertThat(view.body()).isEqualTo("[{\"name\":\"standby-1\",\"lagSeconds\":0.25}]\n");
        assertThat(view.headers().firstValue("cache-control")).hasValue("no-store");
        assertThat(view.headers().firstValue("content-type")).hasValue("application/json; charset=utf-8");
        assertThat(get("/api").body()).contains("/api/standbys", "/api/mirror/{standby}/pause");
        HttpResponse<String> page = get("/");
        assertThat(page.body()).startsWith("<!DOCTYPE html>").doesNotContain("http:", "https:", "style=", "onclick");
        assertThat(page.headers().firstValue("content-security-policy"))
                .hasValueSatisfying(policy ->
                        assertThat(policy).contains("default-src 'none'").doesNotContain("unsafe"));
        assertThat(get("/api/nothing").statusCode()).isEqualTo(404);
    }

    /** Everything that the page names is there, and is asked for again only when it has changed. */
    @Test
    void thePagesFilesHaveTypesAndTags() throws Exception {
        List<String> named = new ArrayList<>();
        Matcher names = Pattern.compile("(?:href|src)=\"(dashboard/[^\"]+)\"").matcher(get("/").body());
        while (names.find()) {
            named.add("/" + names.group(1));
        }
        assertThat(named).hasSizeGreaterThan(3);
        for (int i = 0; i < named.size(); i++) {
            HttpResponse<String> file = get(named.get(i));
            assertThat(file.statusCode()).as(named.get(i)).isEqualTo(200);
            Matcher imports = Pattern.compile("from \"\\./([a-z-]+\\.js)\"").matcher(file.body());
            while (imports.find()) {
                if (!named.contains("/dashboard/" + imports.group(1))) {
                    named.add("/dashboard/" + imports.group(1));
                }
            }
            String tag = file.headers().firstValue("etag").orElseThrow();
            HttpResponse<String> again = get(named.get(i), "If-None-Match", tag);
            assertThat(again.statusCode()).isEqualTo(304);
            assertThat(again.body()).isEmpty();
        }
        assertThat(named).contains("/dashboard/answers.js", "/dashboard/uplot.min.js");
        assertThat(get("/dashboard/main.js").headers().firstValue("content-type"))
                .hasValue("text/javascript; charset=utf-8");
        HttpResponse<String> compressed = get("/dashboard/main.js", "Accept-Encoding", "gzip, br");
        assertThat(compressed.headers().firstValue("content-encoding")).hasValue("gzip");
        assertThat(compressed.headers().firstValue("etag"))
                .isNotEqualTo(get("/dashboard/main.js").headers().firstValue("etag"));
        assertThat(get("/dashboard/../dashboard/main.js").statusCode()).isEqualTo(404);
        assertThat(get("/dashboard/uplot.LICENSE.txt").statusCode()).isEqualTo(404);
    }

    @Test
    void aViewGetsTheParametersOfItsPath() throws Exception {
        endpoints.viewOf("standbys/{name}/pages", parameters -> {
            if (!"standby-1".equals(parameters.get("name"))) {
                throw new IllegalArgumentException("there is no standby '" + parameters.get("name") + "'");
            }
            return Map.of("pages", 7);
        });
        assertThat(get("/api/standbys/standby-1/pages").body()).isEqualTo("{\"pages\":7}\n");
        HttpResponse<String> unknown = get("/api/standbys/standby-9/pages");
        assertThat(unknown.statusCode()).isEqualTo(400);
        assertThat(unknown.body()).contains("there is no standby 'standby-9'");
        assertThat(get("/api").body()).contains("/api/standbys/{name}/pages");
        assertThat(get("/api/standbys/standby-1/other").statusCode()).isEqualTo(404);
    }

    @Test
    void headReturnsTheLengthWithoutABody() throws Exception {
        HttpResponse<String> head =
                send(HttpRequest.newBuilder(uri("/api/standbys")).method("HEAD", HttpRequest.BodyPublishers.noBody()));
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(head.headers().firstValueAsLong("content-length"))
                .hasValue(get("/api/standbys").body().length());
    }

    @Test
    void notFoundListsThePathsAndMethodNotAllowedTheMethods() throws Exception {
        HttpResponse<String> unknown = get("/api/standbyes");
        assertThat(unknown.statusCode()).isEqualTo(404);
        assertThat(unknown.body()).contains("\"GET /api/standbys\"", "\"POST /api/reload\"", "\"GET /metrics\"");
        HttpResponse<String> read = get("/api/reload");
        assertThat(read.statusCode()).isEqualTo(405);
        assertThat(read.headers().firstValue("allow")).hasValue("POST");
        HttpResponse<String> written = post("/metrics");
        assertThat(written.statusCode()).isEqualTo(405);
        assertThat(written.headers().firstValue("allow")).hasValue("GET, HEAD");
    }

    @Test
    void actionsNeedTheToken() throws Exception {
        HttpResponse<String> without = post("/api/mirror/standby-1/pause");
        assertThat(without.statusCode()).isEqualTo(401);
        assertThat(without.headers().firstValue("www-authenticate")).isPresent();
        assertThat(post("/api/mirror/standby-1/pause", bearer(TOKEN + "x")).statusCode())
                .isEqualTo(401);
        assertThat(post("/api/mirror/standby-1/pause", "Authorization", "Basic " + TOKEN)
                        .statusCode())
                .isEqualTo(401);
        assertThat(paused).isEmpty();
        assertThat(post("/api/mirror/standby-1/pause?for=5s&standby=other", bearer(TOKEN))
                        .body())
                .isEqualTo("{\"paused\":true}\n");
        assertThat(paused).containsExactly(Map.of("standby", "standby-1", "for", "5s"));
        HttpResponse<String> wrong = post("/api/mirror/standby-9/pause", bearer(TOKEN));
        assertThat(wrong.statusCode()).isEqualTo(400);
        assertThat(wrong.body()).contains("there is no standby 'standby-9'");
        HttpResponse<String> failed = post("/api/drain", bearer(TOKEN));
        assertThat(failed.statusCode()).isEqualTo(500);
        assertThat(failed.body()).contains("disk full");
    }

    @Test
    void aNameInAPathMayHaveAnyCharacter() throws Exception {
        assertThat(post("/api/mirror/s1/skip/shop.a%2Fb%20c%25%2B+d%C3%A9%3F%60", bearer(TOKEN))
                        .body())
                .isEqualTo("{\"standby\":\"s1\",\"table\":\"shop.a/b c%++dé?`\"}\n");
    }

    @Test
    void withoutATokenActionsAndSqlTextAreDisabled() throws Exception {
        for (String none : new String[] {null, ""}) {
            restart(none, AdminServer.Limits.DEFAULT);
            HttpResponse<String> action = post("/api/reload", bearer(""));
            assertThat(action.statusCode()).isEqualTo(403);
            assertThat(action.body()).contains("admin.token");
            assertThat(get("/api/sessions").statusCode()).isEqualTo(403);
            assertThat(get("/api/digests").body()).isEqualTo("{\"digest\":\"abc\"}\n");
        }
    }

    @Test
    void sensitiveViewsShowTheTextOnlyWithTheToken() throws Exception {
        assertThat(get("/api/digests").body()).isEqualTo("{\"digest\":\"abc\"}\n");
        assertThat(get("/api/digests", bearer(TOKEN)).body()).isEqualTo("{\"sql\":\"SELECT 1\"}\n");
        assertThat(get("/api/digests", bearer("guess")).statusCode()).isEqualTo(401);
        assertThat(get("/api/sessions").statusCode()).isEqualTo(401);
        assertThat(get("/api/sessions", bearer(TOKEN)).body()).isEqualTo("{\"sql\":\"SELECT 2\"}\n");
    }

    @Test
    void aFailingViewIsReported() throws Exception {
        HttpResponse<String> broken = get("/api/broken");
        assertThat(broken.statusCode()).isEqualTo(500);
        assertThat(broken.body()).contains("no such thing");
        HttpResponse<String> nothing = get("/api/nothing-yet");
        assertThat(nothing.statusCode()).isEqualTo(503);
        assertThat(nothing.body()).contains("no standby can be queried");
        assertThat(get("/api/standbys").statusCode()).isEqualTo(200);
    }

    @Test
    void slowViewsBlockNeitherHealthNorMetricsAndAreBounded() throws Exception {
        List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
        int room = AdminWorkers.VIEW_THREADS + AdminWorkers.QUEUE;
        for (int i = 0; i < room + 3; i++) {
            waiting.add(
                    client.sendAsync(HttpRequest.newBuilder(uri("/api/slow")).build(), BodyHandlers.ofString()));
        }
        await().until(() -> waiting.stream().filter(CompletableFuture::isDone).count() == 3);
        assertThat(get("/health/ready").statusCode()).isEqualTo(200);
        assertThat(get("/metrics").statusCode()).isEqualTo(200);
        assertThat(get("/api/primary").body()).contains("db2:3306");
        HttpRequest.Builder promote =
                HttpRequest.newBuilder(uri("/api/primary")).headers(bearer(TOKEN));
        assertThat(send(promote.POST(HttpRequest.BodyPublishers.noBody())).statusCode())
                .isEqualTo(200);
        slow.countDown();
        List<Integer> statuses = new ArrayList<>();
        for (CompletableFuture<HttpResponse<String>> response : waiting) {
            statuses.add(response.get().statusCode());
        }
        assertThat(statuses).filteredOn(status -> status == 200).hasSize(room);
        assertThat(statuses).filteredOn(status -> status == 503).hasSize(3);
    }

    @Test
    void aViewIsEndedAtItsTimeout() throws Exception {
        restart(TOKEN, new AdminServer.Limits(Duration.ofSeconds(30), Duration.ofMillis(100), 10, 1));
        HttpResponse<String> response = get("/api/slow");
        assertThat(response.statusCode()).isEqualTo(504);
        assertThat(response.body()).contains("100 ms");
    }

    @Test
    void refusesLargeBodies() throws Exception {
        HttpResponse<String> response = send(HttpRequest.newBuilder(uri("/api/reload"))
                .headers(bearer(TOKEN))
                .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[AdminServer.MAX_BODY + 1])));
        assertThat(response.statusCode()).isEqualTo(413);
        assertThat(response.body()).contains("up to 65536 bytes");
        HttpResponse<String> larger = send(HttpRequest.newBuilder(uri("/api/reload"))
                .headers(bearer(TOKEN))
                .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[100 * AdminServer.MAX_BODY])));
        assertThat(larger.statusCode()).isEqualTo(413);
    }

    @Test
    void refusesLongHeadersAndMalformedRequests() throws Exception {
        assertThat(raw("GET / HTTP/1.1\r\nHost: x\r\nA: " + "a".repeat(10_000) + "\r\n\r\n"))
                .startsWith("HTTP/1.1 431");
        assertThat(raw("GET /" + "a".repeat(10_000) + " HTTP/1.1\r\nHost: x\r\n\r\n"))
                .startsWith("HTTP/1.1 414");
        assertThat(raw("nonsense\r\n\r\n")).startsWith("HTTP/1.1 400");
        assertThat(raw("GET /api/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 400");
    }

    /** Sends the request and reads until the server closes. */
    private String raw(String request) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(server.address(), 5000);
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void pipelinedRequestsGetResponsesInOrder() throws Exception {
        String responses = raw("GET /api/standbys HTTP/1.1\r\nHost: x\r\n\r\n"
                + "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"
                + "GET /api/broken HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        assertThat(responses).containsSubsequence("standby-1", "\"live\"", "no such thing");
    }

    @Test
    void closesClientsWithASlowRequest() throws Exception {
        restart(TOKEN, new AdminServer.Limits(Duration.ofMillis(400), Duration.ofSeconds(5), 10, 1));
        try (Socket socket = new Socket()) {
            socket.connect(server.address(), 5000);
            socket.setSoTimeout(50);
            long start = System.nanoTime();
            socket.getOutputStream().write("GET / HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThatThrownBy(() -> {
                        while (true) {
                            socket.getOutputStream().write("X".getBytes(StandardCharsets.US_ASCII));
                            try {
                                if (socket.getInputStream().read() < 0) {
                                    throw new java.io.EOFException();
                                }
                            } catch (java.net.SocketTimeoutException notYet) {
                                // Sends one byte every 50 ms.
                            }
                        }
                    })
                    .isInstanceOf(IOException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(Duration.ofMillis(300), Duration.ofSeconds(10));
        }
    }

    @Test
    void boundsTheNumberOfConnections() throws Exception {
        restart(TOKEN, new AdminServer.Limits(Duration.ofSeconds(30), Duration.ofSeconds(30), 1, 1));
        try (Socket first = new Socket();
                Socket second = new Socket()) {
            first.connect(server.address(), 5000);
            first.getOutputStream()
                    .write("GET /api/slow HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(slowBegan.await(20, TimeUnit.SECONDS)).isTrue();
            second.connect(server.address(), 5000);
            second.setSoTimeout(20_000);
            assertThat(second.getInputStream().read()).isEqualTo(-1);
            slow.countDown();
        }
        await().until(() -> raw("GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                .startsWith("HTTP/1.1 200"));
    }

    /** Connections that never send a request make room, the longest silent first, also when they come without end. */
    @Test
    void silentClientsKeepNobodyOut() throws Exception {
        List<Socket> silent = new ArrayList<>();
        try (Socket served = new Socket()) {
            served.connect(server.address(), 5000);
            served.setSoTimeout(20_000);
            served.getOutputStream()
                    .write("GET /api/slow HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(slowBegan.await(20, TimeUnit.SECONDS)).isTrue();
            for (int i = 0; i < 1000; i++) {
                Socket one = new Socket();
                silent.add(one);
                one.connect(server.address(), 5000);
                if (i % 2 == 0) {
                    one.getOutputStream().write("GET /health/rea".getBytes(StandardCharsets.US_ASCII));
                }
                if (i % 200 == 199) {
                    String reply = raw("GET /health/ready HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
                    assertThat(reply).startsWith("HTTP/1.1 200");
                }
            }
            slow.countDown();
            assertThat(new String(served.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                    .as("a request in progress is not given up for them")
                    .isEqualTo("HTTP/1.1 200");
        } finally {
            for (Socket one : silent) {
                one.close();
            }
        }
    }

    @Test
    void boundsTheNumberOfStreams() throws Exception {
        restart(TOKEN, new AdminServer.Limits(Duration.ofSeconds(30), Duration.ofSeconds(30), 100, 3));
        List<Socket> streams = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                Socket one = new Socket();
                streams.add(one);
                one.connect(server.address(), 5000);
                one.setSoTimeout(20_000);
                one.getOutputStream()
                        .write("GET /ticks HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(new String(one.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                        .isEqualTo("HTTP/1.1 200");
            }
            HttpResponse<String> refused = get("/ticks");
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.body()).contains("there are 3 streams already");
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
            assertThat(get("/health/live").statusCode()).isEqualTo(200);
            streams.get(0).close();
            await().until(() -> {
                try (Socket next = new Socket()) {
                    next.connect(server.address(), 5000);
                    next.setSoTimeout(20_000);
                    next.getOutputStream()
                            .write("GET /ticks HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    return new String(next.getInputStream().readNBytes(12), StandardCharsets.US_ASCII)
                            .equals("HTTP/1.1 200");
                }
            });
        } finally {
            for (Socket one : streams) {
                one.close();
            }
        }
    }

    @Test
    void reportsTheAddressThatIsInUse() {
        assertThatThrownBy(() -> AdminServer.start(server.address(), TOKEN, registry, () -> reasons, endpoints))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(String.valueOf(server.address().getPort()))
                .hasMessageContaining("admin.address");
    }
}
