package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.epoll.Epoll;
import io.understudy.config.ConfigLoader;
import io.understudy.host.PluginTypes;
import io.understudy.runtime.RunningProxy;
import io.understudy.testkit.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A start that fails, with {@code listen.reusePort}, cuts no client. */
@Timeout(120)
class FailedStartTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int STARTS = 5;

    private final AtomicInteger connected = new AtomicInteger();
    private final Set<String> cut = new ConcurrentSkipListSet<>();
    private volatile boolean stopped;

    /** Connects over and over. Each client that gets a connection must get a packet: there is no primary, so an ERR. */
    private Thread client(int port) {
        Thread client = new Thread(() -> {
            while (!stopped) {
                try (Socket socket = new Socket()) {
                    try {
                        socket.connect(new InetSocketAddress(LOOPBACK, port), 10_000);
                    } catch (IOException nobodyListens) {
                        continue;
                    }
                    connected.incrementAndGet();
                    socket.setSoTimeout((int) SOON.toMillis());
                    if (socket.getInputStream().read() < 0) {
                        cut.add("closed without a packet");
                    }
                    socket.setSoLinger(true, 0); // without TIME_WAIT, so that the ports suffice
                } catch (IOException e) {
                    cut.add(String.valueOf(e.getMessage()));
                }
            }
        });
        client.start();
        return client;
    }

    private static String yaml(String listen, int primary, String admin) {
        return """
                transport: epoll
                listen: { address: %s, reusePort: true }
                primary: { address: "127.0.0.1:%d" }
                admin: { address: "%s" }
                """.formatted(listen, primary, admin);
    }

    private static RunningProxy start(String yaml) throws Exception {
        PluginTypes types = PluginTypes.installed();
        RunningProxy.Reloader reloader = () -> ConfigLoader.load(yaml, "test.yaml", types.records(), name -> null);
        return RunningProxy.start(reloader.load(), types, reloader);
    }

    private void stop(List<Thread> clients) throws InterruptedException {
        stopped = true;
        for (Thread client : clients) {
            client.join();
        }
    }

    @Test
    void withoutAnAdminAddressNobodyIsAccepted() throws Exception {
        assumeThat(Epoll.isAvailable()).isTrue();
        // Bound, but nobody listens: no other program gets the port, nor a client as its own.
        try (Socket reserved = new Socket()) {
            reserved.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            reserved.bind(new InetSocketAddress(LOOPBACK, 0));
            int port = reserved.getLocalPort();
            List<Thread> clients = List.of(client(port), client(port));
            try {
                for (int i = 0; i < STARTS; i++) {
                    // TEST-NET-1: no address of this host.
                    assertThatThrownBy(() -> start(yaml("\"127.0.0.1:" + port + "\"", 1, "192.0.2.1:9307")))
                            .hasMessageContaining("192.0.2.1");
                }
            } finally {
                stop(clients);
            }
        }
        assertThat(connected).hasValue(0);
    }

    @Test
    void clientsOfOneAddressAreServedThoughAnotherIsTaken() throws Exception {
        assumeThat(Epoll.isAvailable()).isTrue();
        int port = FreePort.next();
        int closed = FreePort.next();
        try (ServerSocket taken = new ServerSocket(0, 1, LOOPBACK);
                RunningProxy present = start(yaml("\"127.0.0.1:" + port + "\"", closed, "127.0.0.1:0"))) {
            assertThat(present.adminAddress()).isNotNull();
            List<Thread> clients = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                clients.add(client(port));
            }
            try {
                for (int i = 0; i < STARTS; i++) {
                    assertThatThrownBy(() -> start(yaml(
                                    "[\"127.0.0.1:" + port + "\", \"127.0.0.1:" + taken.getLocalPort() + "\"]",
                                    closed,
                                    "127.0.0.1:0")))
                            .hasMessageContaining("cannot listen on 127.0.0.1:" + taken.getLocalPort());
                    int before = connected.get();
                    await().atMost(SOON).until(() -> connected.get() > before + 10);
                }
            } finally {
                stop(clients);
            }
        }
        assertThat(cut).isEmpty();
    }
}
