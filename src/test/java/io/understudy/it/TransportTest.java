package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.understudy.config.Transport;
import io.understudy.connection.NetworkTransport;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs a short contract over each transport, over TCP and over Unix sockets at either end. */
class TransportTest {
    private static final ApplicationStep SHORT = scene -> scene.connected("", (t, connection, statement) -> {
        t.run(statement, "SELECT 1");
        t.run(statement, "SELECT seq, REPEAT('x', 20000) FROM seq_1_to_200");
        t.run(statement, "SELECT MD5('" + "y".repeat(3_000_000) + "')");
        t.run(statement, "SELEKT");
    });

    static void assume(String transport) {
        try {
            NetworkTransport.resolve(Transport.valueOf(transport.toUpperCase(Locale.ROOT)));
        } catch (IllegalStateException unavailable) {
            assumeTrue(false, unavailable.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nio", "epoll", "io_uring"})
    void everyTransportPassesTheContract(String transport) throws Exception {
        assume(transport);
        ServerUnderTest server = ServerUnderTest.shared();
        try (ProxyUnderTest proxy = ProxyUnderTest.to(server.address(), "transport: " + transport)) {
            for (Driver driver : Driver.values()) {
                Transcript direct = new Transcript();
                SHORT.play(new Scene(driver, server.address(), server, direct));
                Transcript proxied = new Transcript();
                SHORT.play(new Scene(driver, proxy.address(), server, proxied));
                assertThat(Transcript.difference(direct.lines(), proxied.lines()))
                        .isEmpty();
            }
        }
    }

    /** On Linux's own transports a connection has them from its listener. */
    @ParameterizedTest
    @ValueSource(strings = {"epoll", "io_uring"})
    void clientsConnectionsHaveKeepalive(String transport) throws Exception {
        assume(transport);
        ServerUnderTest server = ServerUnderTest.shared();
        try (ProxyUnderTest proxy = ProxyUnderTest.to(server.address(), "transport: " + transport);
                RawClient client = RawClient.login(proxy.address(), server)) {
            client.execute("DO 1");
            // While an acknowledgement is due its timer is shown instead.
            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(
                            () -> assertThat(keepaliveTicks(proxy.port())).isBetween(3_000L, 6_000L));
        }
    }

    /** Returns when the kernel next probes the connection accepted at that port, in 1/100 s; -1 if it does not. */
    private static long keepaliveTicks(int port) throws IOException {
        for (String table : List.of("tcp", "tcp6")) {
            for (String line : Files.readAllLines(Path.of("/proc/net", table))) {
                String[] fields = line.trim().split("\\s+");
                boolean accepted =
                        fields[1].endsWith(String.format(Locale.ROOT, ":%04X", port)) && fields[3].equals("01");
                if (accepted && fields[5].startsWith("02:")) {
                    return Long.parseLong(fields[5].substring(3), 16);
                }
            }
        }
        return -1;
    }

    /** TCP clients of a proxy that listens on a Unix socket, with a primary that listens on one too. */
    @ParameterizedTest
    @ValueSource(strings = {"nio", "epoll", "io_uring"})
    void unixSocketsPassTheContract(String transport) throws Exception {
        assume(transport);
        ServerUnderTest server = ServerUnderTest.shared();
        String primary = server.query("SELECT @@socket");
        assumeTrue(primary != null && Files.exists(Path.of(primary)), "the server's socket is not on this machine");
        overSocketFile(transport, "unix:" + primary, (proxy, client, socket) -> {
            client.query("SELECT REPEAT('z', 500000), CONNECTION_ID()");
            List<Packet> response = client.readResult();
            assertThat(response).hasSize(6);
            assertThat(response.get(4).payload().length).isGreaterThan(500_000);
            assertThat(proxy.sessions()).isEqualTo(1);
        });
    }

    /** The proxy's writes are blocked again and again while nothing is left to read. */
    @ParameterizedTest
    @ValueSource(strings = {"nio", "epoll", "io_uring"})
    void aClientThatEndsItsSendingSideGetsALargeResult(String transport) throws Exception {
        assume(transport);
        ServerUnderTest server = ServerUnderTest.shared();
        try (ProxyUnderTest proxy = ProxyUnderTest.to(server.address(), "transport: " + transport);
                RawClient client = RawClient.open(proxy.address(), 8192)) {
            client.login(server.user(), server.password(), ServerUnderTest.SCHEMA, RawClient.PLAIN);
            client.query("SELECT REPEAT('x', 100000) FROM seq_1_to_200");
            client.shutdownOutput();
            assertThat(client.readAll()).hasSize(1 + 1 + 1 + 200 + 1);
        }
    }

    /** Only epoll has half-closure of socket files: else the client's FIN ends the session. */
    @ParameterizedTest
    @ValueSource(strings = {"nio", "epoll", "io_uring"})
    void aSocketFilesClientThatEndsItsSendingSideGetsItsResponseOnEpollOnly(String transport) throws Exception {
        assume(transport);
        InetSocketAddress primary = ServerUnderTest.shared().address();
        String address = primary.getHostString() + ":" + primary.getPort();
        overSocketFile(transport, address, (proxy, client, socket) -> {
            client.query("SELECT SLEEP(1)");
            socket.shutdownOutput();
            assertThat(client.readAll()).hasSize(transport.equals("epoll") ? 5 : 0);
            await().until(() -> proxy.sessions() == 0);
        });
    }

    private interface Dialogue {
        void hold(ProxyUnderTest proxy, RawClient client, SocketChannel socket) throws Exception;
    }

    private static void overSocketFile(String transport, String primary, Dialogue dialogue) throws Exception {
        ServerUnderTest server = ServerUnderTest.shared();
        Path folder = Files.createTempDirectory("us");
        Path listener = folder.resolve("p");
        String yaml = """
                transport: %s
                listen: { address: "unix:%s" }
                primary: { address: "%s", tls: { mode: disabled } }
                admin: { enabled: false }
                """.formatted(transport, listener, primary);
        try (ProxyUnderTest proxy = ProxyUnderTest.start(yaml);
                SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.connect(UnixDomainSocketAddress.of(listener));
            InputStream in = Channels.newInputStream(socket);
            OutputStream out = Channels.newOutputStream(socket);
            try (RawClient client = RawClient.over(in, out, socket)) {
                client.login(server.user(), server.password(), ServerUnderTest.SCHEMA, RawClient.PLAIN);
                dialogue.hold(proxy, client, socket);
            }
        } finally {
            Files.deleteIfExists(listener);
            Files.deleteIfExists(folder);
        }
    }

    @Test
    void aProxyListensOnSeveralAddresses() throws Exception {
        ServerUnderTest server = ServerUnderTest.shared();
        String yaml =
                """
                listen: { address: ["127.0.0.1:0", "127.0.0.1:0"] }
                primary: { address: "%s:%d", tls: { mode: disabled } }
                admin: { enabled: false }
                """.formatted(server.address().getHostString(), server.address().getPort());
        try (ProxyUnderTest proxy = ProxyUnderTest.start(yaml)) {
            for (var address : proxy.server().addresses()) {
                try (RawClient client = RawClient.login(address, server)) {
                    client.execute("DO 1");
                }
            }
        }
    }
}
