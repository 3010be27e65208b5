package io.understudy.otlp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.understudy.config.HttpUrl;
import io.understudy.config.LogLevel;
import io.understudy.config.OtlpConfig;
import io.understudy.logging.EventLog;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Collectors that fail: one line each, and nobody waits for them. */
@Timeout(60)
class OtlpPushTest {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream log = new ByteArrayOutputStream();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    @BeforeEach
    void capture() {
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        EventLog.level(LogLevel.INFO); // that of run: a command may have set its own in this JVM
    }

    @AfterEach
    void restore() {
        System.setErr(before);
    }

    private List<String> lines() {
        return log.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains("OtlpPush"))
                .map(line -> line.replaceFirst(".* - ", ""))
                .toList();
    }

    private OtlpPush push(int port) {
        return push(port, Duration.ofSeconds(1));
    }

    private OtlpPush push(int port, Duration interval) {
        return push(port, interval, MetricSnapshots::new);
    }

    private OtlpPush push(int port, Duration interval, Supplier<MetricSnapshots> metrics) {
        OtlpConfig config = new OtlpConfig(
                HttpUrl.parse("http://127.0.0.1:" + port + "/v1/metrics?key=secret"),
                interval,
                Map.of(),
                Map.of(),
                null);
        return OtlpPush.start(config, metrics, () -> Map.of("service.name", "x"), meters, Clock.systemUTC());
    }

    private double pushes(String outcome) {
        Counter counter =
                meters.find("understudy.otlp.pushes").tag("outcome", outcome).counter();
        return counter == null ? -1 : counter.count();
    }

    private static HttpServer server(int port, AtomicInteger status, String body) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status.get(), bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        return server;
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    @Test
    void anOutageHasOneLineAtItsBeginAndOneAtItsEnd() throws Exception {
        int port = freePort();
        try (OtlpPush push = push(port)) {
            assertThat(push).isNotNull();
            await().atMost(Duration.ofSeconds(30)).until(() -> pushes("failed") >= 2);
            HttpServer server = server(port, new AtomicInteger(200), "");
            try {
                await().atMost(Duration.ofSeconds(30)).until(() -> lines().size() >= 2);
            } finally {
                server.stop(0);
            }
            assertThat(pushes("ok")).isPositive();
            assertThat(lines().get(0))
                    .startsWith("metrics cannot be pushed to http://127.0.0.1:" + port + "/v1/metrics: no connection")
                    .contains("see that the collector runs, and that metrics.otlp.url is right")
                    .endsWith("Tried every 1s from now on; /metrics has them all the same");
            assertThat(lines().get(1))
                    .matches(
                            "metrics are pushed to http://127.0.0.1:" + port + "/v1/metrics again; \\d+ pushes failed");
        }
    }

    @Test
    void aRefusalSaysWhatToDoAndWhatTheCollectorSaid() throws Exception {
        AtomicInteger status = new AtomicInteger(401);
        HttpServer server = server(0, status, "no such\u0001tenant");
        try (OtlpPush push = push(server.getAddress().getPort())) {
            assertThat(push).isNotNull();
            await().atMost(Duration.ofSeconds(30)).until(() -> !lines().isEmpty());
            assertThat(lines().get(0)).contains("status 401 (no such tenant); check metrics.otlp.headers");
            status.set(200);
            await().atMost(Duration.ofSeconds(30)).until(() -> lines().size() == 3);
            assertThat(lines())
                    .anyMatch(line -> line.endsWith(
                            "does not take all metrics, or is none: its response has 'no such" + " tenant'"));
        } finally {
            server.stop(0);
        }
    }

    /** It accepts connections and never responds. */
    @Test
    void atTheEndASilentCollectorIsNotAskedAgain() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            OtlpPush push = push(silent.getLocalPort(), Duration.ofHours(1));
            try (Socket accepted = silent.accept()) {
                assertThat(accepted.getInputStream().read()).isEqualTo('P');
                push.close();
                assertThat(lines()).singleElement().asString().endsWith("The process ends without another try");
            }
        }
    }

    /** The process may end before its first push has; what was counted is pushed all the same. */
    @Test
    void anEndBeforeTheFirstResponsePushesOnceMore() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        BlockingQueue<String> requests = new LinkedBlockingQueue<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ExecutorService workers = Executors.newCachedThreadPool();
        server.setExecutor(workers);
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            requests.add("push");
            try {
                ended.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        try {
            OtlpPush push = push(server.getAddress().getPort(), Duration.ofHours(1));
            assertThat(requests.poll(30, TimeUnit.SECONDS)).isNotNull();
            push.close();
            assertThat(requests.poll(30, TimeUnit.SECONDS))
                    .as("the last push; log: %s", log)
                    .isNotNull();
        } finally {
            ended.countDown();
            server.stop(0);
            workers.shutdownNow();
        }
    }

    /** Its connection is taken away at any moment. */
    @Test
    void aReloadInTheMiddleOfAPushIsNoOutage() throws Exception {
        CompletableFuture<Thread> scraping = new CompletableFuture<>();
        CountDownLatch stopped = new CountDownLatch(1);
        OtlpPush push = push(freePort(), Duration.ofHours(1), () -> {
            scraping.complete(Thread.currentThread());
            while (stopped.getCount() > 0) {
                Thread.onSpinWait();
            }
            return new MetricSnapshots();
        });
        Thread thread = scraping.get(30, TimeUnit.SECONDS);
        push.stop(true);
        stopped.countDown();
        thread.join(30_000);
        assertThat(thread.isAlive()).isFalse();
        assertThat(lines()).isEmpty();
    }
}
