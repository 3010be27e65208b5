package io.understudy.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.understudy.testkit.CapturedLog;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Slow, large, malformed and numerous requests. */
@Timeout(60)
class AdminLimitsTest extends AdminHarness {
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
    void anActionGoesOnAfterItsTimeout() throws Exception {
        CountDownLatch wait = new CountDownLatch(1);
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        AtomicBoolean interrupted = new AtomicBoolean();
        endpoints.action("primary/slowly", parameters -> {
            begun.incrementAndGet();
            try {
                wait.await();
            } catch (InterruptedException e) {
                interrupted.set(true);
            }
            done.incrementAndGet();
            return Map.of();
        });
        restart(TOKEN, new AdminServer.Limits(Duration.ofSeconds(30), Duration.ofMillis(200), 10, 1));
        try (CapturedLog log = new CapturedLog()) {
            int wentOn = 0;
            while (begun.get() < AdminWorkers.ACTION_THREADS) {
                HttpResponse<String> response = post("/api/primary/slowly?by=me", bearer(TOKEN));
                if (response.statusCode() == 504) {
                    wentOn++;
                    assertThat(response.body()).contains("goes on; GET /api/primary tells");
                }
                // Otherwise no thread had time for it, and it never begins.
            }
            HttpResponse<String> further = post("/api/primary/slowly", bearer(TOKEN));
            assertThat(further.statusCode()).isEqualTo(503);
            int late = wentOn;
            wait.countDown();
            await().until(() -> done.get() == 2 && log.text().split("has ended", -1).length == late + 1);
            assertThat(wentOn).isPositive();
            assertThat(interrupted).isFalse();
            assertThat(log.text())
                    .contains(
                            "admin action /api/primary/slowly {by=me} client=/127.0.0.1:",
                            " status=504",
                            " status=503");
        }
        assertThat(begun).hasValue(2);
    }

    /** A plugin's class may be missing; the client and the log are told. */
    @Test
    void anErrorOfAViewIsAResponse() throws Exception {
        endpoints.view("missing", () -> {
            throw new NoClassDefFoundError("io/example/Missing");
        });
        try (CapturedLog log = new CapturedLog()) {
            HttpResponse<String> response = get("/api/missing");
            assertThat(response.statusCode()).isEqualTo(500);
            assertThat(response.body()).contains("io/example/Missing");
            assertThat(log.text()).contains("io/example/Missing");
        }
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
        assertThat(raw("GET / HTTP/1.1\r\nHost: localhost\r\nA: " + "a".repeat(10_000) + "\r\n\r\n"))
                .startsWith("HTTP/1.1 431");
        assertThat(raw("GET /" + "a".repeat(10_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                .startsWith("HTTP/1.1 414");
        assertThat(raw("nonsense\r\n\r\n")).startsWith("HTTP/1.1 400");
        assertThat(raw("GET /api/%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
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
        String responses = raw("GET /api/standbys HTTP/1.1\r\nHost: localhost\r\n\r\n"
                + "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
                + "GET /api/broken HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
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
                    .write("GET /api/slow HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(slowBegan.await(20, TimeUnit.SECONDS)).isTrue();
            second.connect(server.address(), 5000);
            second.setSoTimeout(20_000);
            assertThat(second.getInputStream().read()).isEqualTo(-1);
            slow.countDown();
        }
        await().until(() -> raw("GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
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
                    .write("GET /api/slow HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(slowBegan.await(20, TimeUnit.SECONDS)).isTrue();
            for (int i = 0; i < 1000; i++) {
                Socket one = new Socket();
                silent.add(one);
                one.connect(server.address(), 5000);
                if (i % 2 == 0) {
                    one.getOutputStream().write("GET /health/rea".getBytes(StandardCharsets.US_ASCII));
                }
                if (i % 200 == 199) {
                    String reply = raw("GET /health/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
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
                        .write("GET /ticks HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
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
                            .write("GET /ticks HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                    .getBytes(StandardCharsets.US_ASCII));
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
}
