package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.testkit.Bytes;
import io.understudy.testkit.session.FakeServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks which peers are refused and how. A misbehaving peer ends its own session and no other. */
class LimitsTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final String QUICK = "limits: { handshakeTimeout: 300ms, drainTimeout: 1s }";

    private static Packet firstWord(InetSocketAddress address) throws IOException {
        try (RawClient client = RawClient.open(address)) {
            Packet said = client.read();
            assertThat(client.readAll()).as("after the refusal").isEmpty();
            return said;
        }
    }

    @Test
    void aConnectionAboveMaxConnectionsIsRefused() throws Exception {
        ServerUnderTest server = ServerUnderTest.shared();
        String yaml = ProxyUnderTest.config("127.0.0.1:0", server.address(), ", maxConnections: 2", "");
        try (ProxyUnderTest proxy = ProxyUnderTest.start(yaml)) {
            RawClient first = RawClient.login(proxy.address(), server);
            RawClient second = RawClient.login(proxy.address(), server);
            Packet refusal = firstWord(proxy.address());
            assertThat(refusal.errorCode()).isEqualTo(1040);
            // SQLSTATE is not negotiated before the client's capabilities are known, but all servers send it and all
            // clients parse it.
            assertThat(refusal.errorText()).startsWith("#08004").contains("listen.maxConnections");
            first.close();
            await().atMost(SOON).until(() -> proxy.sessions() == 1);
            RawClient third = RawClient.login(proxy.address(), server);
            third.execute("DO 1");
            second.close();
            third.close();
            await().atMost(SOON).until(() -> proxy.sessions() == 0);
        }
    }

    @Test
    void anUnreachablePrimaryIsReportedToTheClient() throws Exception {
        InetSocketAddress nobody;
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = (InetSocketAddress) probe.getLocalSocketAddress();
        }
        try (ProxyUnderTest proxy = ProxyUnderTest.to(nobody)) {
            Packet refusal = firstWord(proxy.address());
            assertThat(refusal.errorCode()).isEqualTo(1042);
            assertThat(refusal.errorText()).contains("127.0.0.1:" + nobody.getPort());
            await().atMost(SOON).until(() -> proxy.sessions() == 0);
        }
    }

    @Test
    void aPrimaryWithoutAHandshakePacketIsReportedToTheClient() throws Exception {
        try (FakeServer silent = FakeServer.silent();
                ProxyUnderTest proxy = ProxyUnderTest.to(silent.address(), QUICK)) {
            Packet refusal = firstWord(proxy.address());
            assertThat(refusal.errorCode()).isEqualTo(1042);
            assertThat(refusal.errorText()).contains("no response from primary").contains("limits.handshakeTimeout");
            await().atMost(SOON).until(() -> proxy.sessions() == 0);
        }
    }

    @Test
    void aClientThatNeverLogsInIsDisconnected() throws Exception {
        ServerUnderTest server = ServerUnderTest.shared();
        try (ProxyUnderTest proxy = ProxyUnderTest.to(server.address(), QUICK);
                RawClient client = RawClient.open(proxy.address())) {
            assertThat(client.read().first()).as("protocol version").isEqualTo(10);
            assertThat(client.read().errorCode()).isEqualTo(1043);
            assertThat(client.readAll()).isEmpty();
        }
    }

    /** The server's own error for a client that it does not allow reaches the client. */
    @Test
    void theServersRefusalReachesTheClient() throws Exception {
        byte[] err = new Payload()
                .uint(0xFF, 1)
                .uint(1040, 2)
                .text("#08004Too many connections")
                .bytes();
        try (FakeServer full = FakeServer.sending(Bytes.packet(0, err));
                ProxyUnderTest proxy = ProxyUnderTest.to(full.address())) {
            assertThat(firstWord(proxy.address()).hex()).isEqualTo(new Packet(0, err).hex());
        }
    }

    static Stream<byte[]> wrongHandshakePackets() {
        return Stream.of(
                new byte[] {1, 0, 0, 0, 9},
                new byte[] {2, 0, 0, 0, 10, 0},
                new byte[] {(byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 0, 10},
                Bytes.packet(5, new byte[80]),
                new byte[] {0, 0, 0, 0},
                "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }

    @ParameterizedTest
    @MethodSource("wrongHandshakePackets")
    void aMalformedHandshakePacketIsReportedAsError1043(byte[] bytes) throws Exception {
        try (FakeServer fake = FakeServer.sending(bytes);
                ProxyUnderTest proxy = ProxyUnderTest.to(fake.address(), QUICK);
                RawClient client = RawClient.open(proxy.address())) {
            Packet said = client.read();
            assertThat(said.errorCode()).isEqualTo(1043);
            assertThat(client.readAll()).isEmpty();
            await().atMost(SOON).until(() -> proxy.sessions() == 0);
        }
    }

    static Stream<byte[]> wrongReplies() {
        return Stream.of(
                Bytes.packet(7, new byte[60]),
                Bytes.packet(1, new byte[0]),
                Bytes.packet(1, new byte[] {1, 2}),
                Bytes.packet(1, new byte[31]),
                new byte[] {(byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 1, 0, 0, 0},
                "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }

    /** A concurrent session continues undisturbed. */
    @ParameterizedTest
    @MethodSource("wrongReplies")
    void aMalformedLoginLeavesOtherSessionsAlone(byte[] bytes) throws Exception {
        ServerUnderTest server = ServerUnderTest.shared();
        try (ProxyUnderTest proxy = ProxyUnderTest.to(server.address(), "limits: { handshakeTimeout: 2s }");
                RawClient good = RawClient.login(proxy.address(), server);
                RawClient bad = RawClient.open(proxy.address())) {
            bad.read();
            bad.sendRaw(bytes);
            assertThat(bad.readAll()).allMatch(Packet::isErr);
            await().atMost(SOON).until(() -> proxy.sessions() == 1);
            good.execute("DO 1");
        }
    }

    @Test
    void aWrongSequenceNumberEndsItsSessionOnly() throws Exception {
        ServerUnderTest server = ServerUnderTest.shared();
        try (ProxyUnderTest proxy = ProxyUnderTest.to(server.address());
                RawClient good = RawClient.login(proxy.address(), server);
                RawClient bad = RawClient.login(proxy.address(), server)) {
            bad.send(3, new byte[] {0x0E});
            List<Packet> said = bad.readAll();
            assertThat(said).hasSize(1);
            assertThat(said.get(0).errorCode()).isEqualTo(1156);
            await().atMost(SOON).until(() -> proxy.sessions() == 1);
            good.execute("DO 1");
        }
    }

    /** More pipelined commands than the proxy tracks: the client has to wait, and no command is lost. */
    @Test
    void aClientThatPipelinesTooFarHasToWait() throws Exception {
        ServerUnderTest server = ServerUnderTest.shared();
        try (ProxyUnderTest proxy = ProxyUnderTest.to(server.address());
                RawClient client = RawClient.login(proxy.address(), server)) {
            int commands = 20_000;
            Thread writer = new Thread(() -> {
                try {
                    for (int i = 0; i < commands; i++) {
                        client.write(0, new byte[] {0x0E});
                    }
                    client.flush();
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            writer.start();
            for (int i = 0; i < commands; i++) {
                assertThat(client.read().isOk()).isTrue();
            }
            writer.join();
        }
    }

    @Test
    void manySessionsGetTheirOwnResponses() throws Exception {
        ServerUnderTest server = ServerUnderTest.shared();
        try (ProxyUnderTest proxy = ProxyUnderTest.to(server.address())) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                clients.add(RawClient.login(proxy.address(), server));
            }
            for (RawClient client : clients) {
                client.query("SELECT CONNECTION_ID()");
            }
            for (RawClient client : clients) {
                String row =
                        new String(client.readResult().get(3).payload(), 1, 1, java.nio.charset.StandardCharsets.UTF_8);
                assertThat(Long.toString(client.threadId())).startsWith(row);
                client.close();
            }
            await().atMost(SOON).until(() -> proxy.sessions() == 0);
        }
    }
}
