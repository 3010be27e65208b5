package io.understudy.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A browser sends the name in its address bar, which an attacker can have point here. */
@Timeout(60)
class AdminHostsTest extends AdminHarness {

    private String get(String path, String host) throws IOException {
        try (Socket socket =
                new Socket(server.address().getAddress(), server.address().getPort())) {
            String request = "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/primary", "/metrics", "/", "/health/ready", "/api/ticks", "/ticks", "/nothing"})
    void aReboundNameGetsNothing(String path) throws IOException {
        assertThat(get(path, "rebound.example:" + server.address().getPort()))
                .startsWith("HTTP/1.1 421 ")
                .contains("admin.hosts")
                .doesNotContain("db2:3306");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"localhost", "LOCALHOST:9307", "127.0.0.1:9307", "10.1.2.3:9307", "[::1]:9307", "[fd00::7]"})
    void addressesAndTheLoopbackAreServed(String host) throws IOException {
        assertThat(get("/api/primary", host)).startsWith("HTTP/1.1 200 ").contains("db2:3306");
    }

    @Test
    void configuredNamesAreServedFromTheReloadOn() throws IOException {
        assertThat(get("/health/live", "proxy-1.example:9307")).startsWith("HTTP/1.1 421 ");
        server.setNames(List.of("Proxy-1.example"));
        assertThat(get("/health/live", "proxy-1.example:9307")).startsWith("HTTP/1.1 200 ");
        assertThat(get("/health/live", "proxy-1.example.:9307")).startsWith("HTTP/1.1 200 ");
        server.setNames(List.of());
        assertThat(get("/health/live", "proxy-1.example:9307")).startsWith("HTTP/1.1 421 ");
    }

    @Test
    void withTlsTheBrowserHasCheckedTheName() {
        assertThat(new AdminHosts(true, List.of()).refusal("any.example")).isNull();
    }

    @Test
    void aHostThatGuessesTokensIsSlowedAndOthersAreNot() throws Exception {
        InetSocketAddress guesser = new InetSocketAddress(InetAddress.getByName("192.0.2.1"), 1);
        InetSocketAddress other = new InetSocketAddress(InetAddress.getByName("192.0.2.2"), 1);
        long[] now = {0};
        TokenPace pace = new TokenPace(() -> now[0]);
        for (int i = 0; i < TokenPace.FREE; i++) {
            assertThat(pace.isSlowed(guesser)).isFalse();
            pace.wrong(guesser);
        }
        assertThat(pace.isSlowed(guesser)).isTrue();
        assertThat(pace.isSlowed(other)).isFalse();
        for (int i = 0; i < TokenPace.WAITING; i++) {
            assertThat(pace.begin(guesser)).isTrue();
        }
        assertThat(pace.begin(guesser)).isFalse();
        pace.end(guesser);
        assertThat(pace.begin(guesser)).isTrue();
        now[0] = TokenPace.WINDOW.toNanos() + 1;
        assertThat(pace.isSlowed(guesser)).isFalse();
    }

    /** The wrong tokens of a program on the same host, as with an old configuration, delay and refuse no other one. */
    @Test
    void aFloodOfWrongTokensRefusesNoRightOne() throws Exception {
        AtomicBoolean ends = new AtomicBoolean();
        AtomicInteger refused = new AtomicInteger();
        ExecutorService flood = Executors.newCachedThreadPool();
        try {
            for (int i = 0; i < 2 * TokenPace.WAITING; i++) {
                flood.submit(() -> {
                    while (!ends.get()) {
                        if (post("/api/reload", bearer("wrong")).statusCode() == 429) {
                            refused.incrementAndGet();
                        }
                    }
                    return null;
                });
            }
            await().until(() -> refused.get() > 0);
            for (int i = 0; i < 5; i++) {
                assertThat(post("/api/reload", bearer(TOKEN)).statusCode()).isEqualTo(200);
            }
            assertThat(get("/health/ready", "localhost")).startsWith("HTTP/1.1 200 ");
        } finally {
            ends.set(true);
            flood.shutdown();
            assertThat(flood.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        }
    }
}
