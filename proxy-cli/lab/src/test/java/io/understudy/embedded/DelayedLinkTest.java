package io.understudy.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DelayedLinkTest {

    private ServerSocket listener;

    @BeforeEach
    void listen() throws IOException {
        listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void stop() throws IOException {
        listener.close();
    }

    private DelayedLink link(Duration rtt) {
        return DelayedLink.to((InetSocketAddress) listener.getLocalSocketAddress(), rtt);
    }

    private static Socket connect(DelayedLink link) throws IOException {
        Socket socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.connect(link.address(), 5000);
        socket.setSoTimeout(20_000);
        return socket;
    }

    private Socket accept() throws IOException {
        Socket socket = listener.accept();
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static long roundTripMillis(Socket client, Socket server) throws IOException {
        long start = System.nanoTime();
        client.getOutputStream().write(1);
        assertThat(server.getInputStream().read()).isEqualTo(1);
        server.getOutputStream().write(2);
        assertThat(client.getInputStream().read()).isEqualTo(2);
        return (System.nanoTime() - start) / 1_000_000;
    }

    @Test
    void reportsBytesAndTheirTimesToItsWatch() throws IOException {
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        AtomicLong shortest = new AtomicLong(Long.MAX_VALUE);
        try (DelayedLink link = link(Duration.ofMillis(100));
                Socket client = connect(link);
                Socket server = accept()) {
            link.watch((connection, toTarget, bytes, arrivedNanos, leftNanos) -> {
                seen.add(connection + (toTarget ? ">" : "<") + bytes.getByte(bytes.readerIndex()));
                shortest.accumulateAndGet(leftNanos - arrivedNanos, Math::min);
            });
            roundTripMillis(client, server);
            assertThat(seen).containsExactly("1>1", "1<2");
            assertThat(shortest.get())
                    .isGreaterThanOrEqualTo(Duration.ofMillis(50).toNanos());
        }
    }

    @Test
    void addsTheRoundTripAndChangesItAtRunTime() throws IOException {
        try (DelayedLink link = link(Duration.ofMillis(100));
                Socket client = connect(link);
                Socket server = accept()) {
            assertThat(roundTripMillis(client, server)).isBetween(100L, 10_000L);
            link.delay(Duration.ofMillis(400));
            assertThat(roundTripMillis(client, server)).isBetween(400L, 10_000L);
            link.delay(Duration.ofMinutes(10));
            link.delay(Duration.ZERO);
            assertThat(roundTripMillis(client, server)).isLessThan(10_000);
        }
    }

    @Test
    void delayDoesNotLimitThroughputAndKeepsOrder() throws Exception {
        byte[] sent = new byte[48 << 20];
        new Random(7).nextBytes(sent);
        try (DelayedLink link = link(Duration.ofMillis(200));
                Socket client = connect(link);
                Socket server = accept()) {
            long start = System.nanoTime();
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
                try (OutputStream out = client.getOutputStream()) {
                    out.write(sent);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            byte[] received = new byte[sent.length];
            new DataInputStream(server.getInputStream()).readFully(received);
            long millis = (System.nanoTime() - start) / 1_000_000;
            writer.get();
            assertThat(Arrays.equals(received, sent)).isTrue();
            // A relay that sleeps would move one 64 KiB buffer per round trip and take 150 s.
            assertThat(millis).isBetween(100L, 60_000L);
        }
    }

    @Test
    void keepsHalfClosedConnections() throws IOException {
        try (DelayedLink link = link(Duration.ofMillis(20));
                Socket client = connect(link);
                Socket server = accept()) {
            client.getOutputStream().write("question".getBytes(StandardCharsets.UTF_8));
            client.shutdownOutput();
            assertThat(server.getInputStream().readAllBytes()).asString().isEqualTo("question");
            server.getOutputStream().write("answer".getBytes(StandardCharsets.UTF_8));
            server.shutdownOutput();
            assertThat(client.getInputStream().readAllBytes()).asString().isEqualTo("answer");
            await().until(() -> link.connections() == 0);
        }
    }

    @Test
    void anOrderlyCloseLosesNoBytesInTransit() throws Exception {
        byte[] large = new byte[8 << 20];
        try (DelayedLink link = link(Duration.ofMillis(50));
                Socket client = connect(link);
                Socket server = accept()) {
            client.shutdownOutput();
            assertThat(server.getInputStream().read()).isEqualTo(-1);
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
                try (server) {
                    server.getOutputStream().write(large);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            writer.get();
            // The sender has closed by now, and the reader has not started.
            assertThat(drain(client.getInputStream())).isEqualTo(large.length);
            await().until(() -> link.connections() == 0);
        }
    }

    @Test
    void cutResetsBothSidesAndServesNewConnections() throws IOException {
        try (DelayedLink link = link(Duration.ZERO);
                Socket client = connect(link);
                Socket server = accept()) {
            roundTripMillis(client, server);
            link.cut();
            assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
            assertThatThrownBy(() -> server.getInputStream().read()).isInstanceOf(SocketException.class);
            assertThat(link.connections()).isZero();
            try (Socket next = connect(link);
                    Socket nextServer = accept()) {
                assertThat(roundTripMillis(next, nextServer)).isNotNegative();
            }
        }
    }

    @Test
    void relaysAReset() throws IOException {
        try (DelayedLink link = link(Duration.ofMillis(10));
                Socket client = connect(link);
                Socket server = accept()) {
            roundTripMillis(client, server);
            server.setSoLinger(true, 0);
            server.close();
            assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
            await().until(() -> link.connections() == 0);
        }
    }

    @Test
    void pauseHoldsEverythingUntilResume() throws IOException {
        try (DelayedLink link = link(Duration.ZERO);
                Socket client = connect(link);
                Socket server = accept()) {
            roundTripMillis(client, server);
            link.pause();
            client.getOutputStream().write(9);
            server.setSoTimeout(300);
            assertThatThrownBy(() -> server.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
            link.resume();
            server.setSoTimeout(20_000);
            assertThat(server.getInputStream().read()).isEqualTo(9);
        }
    }

    @Test
    void pausedLinkStopsTheSenderInsteadOfBufferingWithoutEnd() throws Exception {
        long total = 4L * LinkLane.BUFFER_LIMIT;
        try (DelayedLink link = link(Duration.ZERO);
                Socket client = connect(link);
                Socket server = accept()) {
            link.pause();
            AtomicLong written = new AtomicLong();
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
                byte[] block = new byte[1 << 20];
                try {
                    while (written.get() < total) {
                        client.getOutputStream().write(block);
                        written.addAndGet(block.length);
                    }
                    client.shutdownOutput();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            await().during(Duration.ofMillis(500))
                    .atMost(Duration.ofSeconds(20))
                    .until(stable(written));
            assertThat(written.get()).isLessThan(total);
            link.resume();
            assertThat(drain(server.getInputStream())).isEqualTo(total);
            writer.get();
        }
    }

    private static Callable<Boolean> stable(AtomicLong value) {
        long[] last = {-1};
        return () -> {
            long now = value.get();
            boolean same = now == last[0];
            last[0] = now;
            return same;
        };
    }

    private static long drain(InputStream in) throws IOException {
        byte[] block = new byte[1 << 16];
        long total = 0;
        for (int n = in.read(block); n >= 0; n = in.read(block)) {
            total += n;
        }
        return total;
    }

    @Test
    void throttleLimitsTheRate() throws IOException {
        try (DelayedLink link = link(Duration.ZERO);
                Socket client = connect(link);
                Socket server = accept()) {
            link.throttle(100_000);
            long start = System.nanoTime();
            client.getOutputStream().write(new byte[50_000]);
            client.shutdownOutput();
            assertThat(drain(server.getInputStream())).isEqualTo(50_000);
            assertThat((System.nanoTime() - start) / 1_000_000).isBetween(450L, 10_000L);
        }
    }

    @Test
    void refusesNewConnectionsAndKeepsExistingOnes() throws IOException {
        try (DelayedLink link = link(Duration.ZERO);
                Socket client = connect(link);
                Socket server = accept()) {
            roundTripMillis(client, server);
            link.refuse();
            try (Socket refused = connect(link)) {
                assertThat(refused.getInputStream().read()).isEqualTo(-1);
            }
            assertThat(roundTripMillis(client, server)).isNotNegative();
            link.resume();
            try (Socket next = connect(link);
                    Socket nextServer = accept()) {
                assertThat(roundTripMillis(next, nextServer)).isNotNegative();
            }
        }
    }

    @Test
    void resetsTheClientWhenTheTargetIsGone() throws IOException {
        try (DelayedLink link = link(Duration.ZERO)) {
            listener.close();
            // The reset may arrive before connect returns.
            assertThatThrownBy(() -> {
                        try (Socket client = connect(link)) {
                            assertThat(client.getInputStream().read()).isEqualTo(-2);
                        }
                    })
                    .isInstanceOf(SocketException.class);
        }
    }
}
