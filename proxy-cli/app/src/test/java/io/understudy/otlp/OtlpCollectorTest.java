package io.understudy.otlp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.understudy.config.HttpUrl;
import io.understudy.config.OtlpConfig;
import io.understudy.otlp.OtlpCollector.CollectorException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Collectors that break the protocol: no connection, no thread and no memory is left to them. */
@Timeout(120)
class OtlpCollectorTest {
    private static final byte[] METRICS = {10, 0};
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    private static final Duration LONG = Duration.ofSeconds(30);

    private final ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    private final OtlpCollector collector = new OtlpCollector(config("http"));

    OtlpCollectorTest() throws IOException {}

    @AfterEach
    void close() throws IOException {
        collector.close();
        server.close();
    }

    private OtlpConfig config(String scheme) {
        return new OtlpConfig(
                HttpUrl.parse(scheme + "://127.0.0.1:" + server.getLocalPort() + "/v1/metrics"),
                Duration.ofSeconds(1),
                Map.of(),
                Map.of(),
                null);
    }

    /** What the collector does with a connection whose request it has read. */
    private interface Deed {
        void on(InputStream in, OutputStream out) throws IOException;
    }

    /** Accepts one connection and returns whether the client has closed it in the end. */
    private CompletableFuture<Boolean> onNext(Deed deed) {
        return CompletableFuture.supplyAsync(() -> {
            try (Socket socket = server.accept()) {
                socket.setSoTimeout((int) LONG.toMillis());
                InputStream in = socket.getInputStream();
                StringBuilder head = new StringBuilder();
                while (head.indexOf("\r\n\r\n") < 0) {
                    head.append((char) in.read());
                }
                in.readNBytes(METRICS.length);
                try {
                    deed.on(in, socket.getOutputStream());
                    return in.read() < 0;
                } catch (SocketTimeoutException e) {
                    return false;
                } catch (IOException e) {
                    return true; // reset, as it had not read all
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private void isRefused(Deed deed, String... message) throws Exception {
        CompletableFuture<Boolean> closed = onNext(deed);
        assertThatThrownBy(() -> collector.post(METRICS, LONG))
                .isInstanceOf(CollectorException.class)
                .hasMessageContainingAll(message);
        assertThat(closed.get(60, TimeUnit.SECONDS)).as("closed").isTrue();
    }

    @Test
    void aConnectionIsClosedWhoseResponseCannotBeRead() throws Exception {
        isRefused(
                (in, out) -> write(out, "HTTP/1.1 200 OK\r\nX: " + "x".repeat(500_000)),
                "its response is not HTTP/1.1",
                "check that the port in metrics.otlp.url");
        isRefused((in, out) -> write(out, "HTTP/1.1 200 OK\r\nContent-Length: " + "9".repeat(30) + "\r\n\r\n"), "9999");
        isRefused((in, out) -> write(out, "HTTP/1.1 100 Continue\r\n\r\n".repeat(20)), "interim responses");
        isRefused((in, out) -> write(out, "\0\0\0\4\0\0\0\0\0\0\0\0"), "not HTTP/1.1", "whether it needs https:");
    }

    /** As collectors and load balancers do after a minute, the default of the interval. */
    @Test
    void aCollectorMayCloseConnectionsAfterAResponse() throws Exception {
        for (int i = 0; i < 3; i++) {
            CompletableFuture<Boolean> closed = onNext((in, out) -> write(out, OK));
            assertThat(collector.post(METRICS, LONG)).isEmpty();
            assertThat(closed.get(60, TimeUnit.SECONDS))
                    .as("closed by the proxy, before it could be in use again")
                    .isTrue();
        }
    }

    @Test
    void anEndlessBodyIsNotRead() throws Exception {
        CompletableFuture<Boolean> closed = onNext((in, out) -> {
            write(out, "HTTP/1.1 200 OK\r\n\r\n");
            while (true) {
                write(out, "y".repeat(100_000));
            }
        });
        assertThat(collector.post(METRICS, LONG)).matches("y{512}");
        assertThat(closed.get(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void whatASilentCollectorHoldsIsClosed() throws Exception {
        CompletableFuture<Boolean> closed = onNext((in, out) -> {});
        assertThatThrownBy(() -> collector.post(METRICS, Duration.ofMillis(100)))
                .hasMessageContaining("no response within 100 ms");
        assertThat(closed.get(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aPortWithoutTlsIsNamedAsOne() throws Exception {
        OtlpCollector encrypted = new OtlpCollector(config("https"));
        CompletableFuture<Void> talked = CompletableFuture.runAsync(() -> {
            try (Socket socket = server.accept()) {
                write(socket.getOutputStream(), "HTTP/1.1 400 Bad Request\r\n\r\n");
                socket.getInputStream().readAllBytes();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        try {
            assertThatThrownBy(() -> encrypted.post(METRICS, LONG)).hasMessageContaining("it does not speak TLS");
            talked.get(60, TimeUnit.SECONDS);
        } finally {
            encrypted.close();
        }
    }

    @Test
    void noThreadIsLeft() throws Exception {
        Set<Thread> before = new HashSet<>(Thread.getAllStackTraces().keySet());
        OtlpCollector other = new OtlpCollector(config("http"));
        CompletableFuture<Boolean> closed = onNext((in, out) -> write(out, OK));
        other.post(METRICS, LONG);
        assertThat(closed.get(60, TimeUnit.SECONDS)).isTrue();
        other.close();
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .filteredOn(thread ->
                                !before.contains(thread) && thread.getName().matches("(otlp|HttpClient).*"))
                        .isEmpty());
    }
}
