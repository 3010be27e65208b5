package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.uring.IoUring;
import io.understudy.config.Transport;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A process takes over the port of another one, over and over, while clients connect as fast as they can: each of them
 * is served. {@code -Dtakeovers=20} takes over more often.
 */
@Timeout(120)
class TakeoverTest {
    private static final int TAKEOVERS = Integer.getInteger("takeovers", 3);
    private static final int CLIENTS = 4;
    private static final Duration DRAIN = Duration.ofSeconds(5);

    private final AtomicInteger served = new AtomicInteger();
    private final Set<String> lost = new ConcurrentSkipListSet<>();
    private final AtomicInteger losses = new AtomicInteger();
    private volatile boolean stopped;

    /** Every client gets an ERR packet: there is no primary, and one client at a time is as many as is allowed. */
    private static ProxyUnderTest start(Transport transport, int port, int closed) throws Exception {
        return ProxyUnderTest.start("transport: " + transport + "\n"
                + ProxyUnderTest.config(
                        "127.0.0.1:" + port,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), closed),
                        ", reusePort: true, maxConnections: 1",
                        ""));
    }

    private static List<Integer> freePorts(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        Set<Integer> ports = new TreeSet<>();
        for (int i = 0; i < count; i++) {
            ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            sockets.add(socket);
            ports.add(socket.getLocalPort());
        }
        for (ServerSocket socket : sockets) {
            socket.close();
        }
        return List.copyOf(ports);
    }

    private void connectOn(int port) {
        while (!stopped) {
            try (Socket socket = new Socket("127.0.0.1", port)) {
                socket.setSoTimeout((int) DRAIN.toMillis());
                InputStream in = socket.getInputStream();
                if (in.read() < 0) {
                    throw new IOException("closed without a packet");
                }
                served.incrementAndGet();
                // Without TIME_WAIT, so that the ports suffice.
                socket.setSoLinger(true, 0);
            } catch (IOException e) {
                losses.incrementAndGet();
                lost.add(String.valueOf(e.getMessage()));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "IO_URING"})
    void noConnectionIsLost(Transport transport) throws Exception {
        assumeTrue(transport == Transport.EPOLL ? Epoll.isAvailable() : IoUring.isAvailable());
        List<Integer> ports = freePorts(2);
        int port = ports.get(0);
        ProxyUnderTest present = start(transport, port, ports.get(1));
        List<Thread> clients = new ArrayList<>();
        long begun = System.nanoTime();
        long spent;
        try {
            for (int i = 0; i < CLIENTS; i++) {
                Thread client = new Thread(() -> connectOn(port), "connecting-" + i);
                clients.add(client);
                client.start();
            }
            for (int i = 0; i < TAKEOVERS; i++) {
                ProxyUnderTest next = start(transport, port, ports.get(1));
                present.server().drain(DRAIN);
                present.close();
                present = next;
            }
        } finally {
            spent = System.nanoTime() - begun;
            stopped = true;
            for (Thread client : clients) {
                client.join();
            }
            present.close();
        }
        System.out.printf(
                "%s: %d takeovers, %d connections (%d a second), %d lost %s%n",
                transport, TAKEOVERS, served.get(), served.get() * 1_000_000_000L / spent, losses.get(), lost);
        assertThat(lost).isEmpty();
        assertThat(losses).hasValue(0);
        assertThat(served.get()).as("connections").isGreaterThan(TAKEOVERS * 10);
    }
}
