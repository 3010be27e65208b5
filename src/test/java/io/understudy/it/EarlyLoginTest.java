package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.understudy.testkit.Bytes;
import io.understudy.testkit.FreePort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Health checks that send the login without waiting for the handshake packet, like HAProxy's {@code option mysql-check
 * user}.
 */
class EarlyLoginTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    private final ServerUnderTest server = ServerUnderTest.shared();

    @Test
    void aLoginSentBeforeTheHandshakePacketSucceeds() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.to(server.address())) {
            for (InetSocketAddress address : new InetSocketAddress[] {server.address(), proxy.address()}) {
                try (RawClient client = RawClient.open(address)) {
                    client.send(
                            1, client.handshakeResponse(server.user(), "", ServerUnderTest.SCHEMA, RawClient.PLAIN));
                    greeted(client);
                }
            }
        }
    }

    @Test
    void aLoginInTheSameSegmentAsAProxyHeaderSucceeds() throws Exception {
        String listen = ", proxyProtocol: v1, trustedNetworks: [127.0.0.0/8]";
        try (ProxyUnderTest proxy =
                        ProxyUnderTest.start(ProxyUnderTest.config("127.0.0.1:0", server.address(), listen, ""));
                RawClient client = RawClient.open(proxy.address())) {
            byte[] login = client.handshakeResponse(server.user(), "", ServerUnderTest.SCHEMA, RawClient.PLAIN);
            client.sendRaw(new Payload()
                    .text("PROXY TCP4 192.0.2.7 127.0.0.1 4711 3306\r\n")
                    .raw(Bytes.packet(1, login))
                    .bytes());
            greeted(client);
            assertThat(proxy.server().registry().all())
                    .singleElement()
                    .satisfies(session -> assertThat(session.clientAddress()).hasToString("/192.0.2.7:4711"));
        }
    }

    private static void greeted(RawClient client) throws IOException {
        assertThat(client.read().first()).as("handshake packet").isEqualTo(10);
        Packet response = client.finishAuthentication("");
        assertThat(response.isOk()).as(response.hex()).isTrue();
        client.execute("DO 1");
    }

    @Test
    void haproxyConsidersTheProxyUp(@TempDir Path folder) throws Exception {
        Path haproxy = Path.of("/usr/sbin/haproxy");
        assumeTrue(Files.isExecutable(haproxy), "haproxy is not installed");
        try (ProxyUnderTest proxy = ProxyUnderTest.to(server.address())) {
            Path stats = folder.resolve("s");
            Path config = folder.resolve("haproxy.cfg");
            Files.writeString(config, """
                    global
                        stats socket %s
                    defaults
                        mode tcp
                        timeout connect 5s
                        timeout client 5s
                        timeout server 5s
                        timeout check 5s
                    listen mysql
                        bind 127.0.0.1:%d
                        option mysql-check user %s
                        server s1 127.0.0.1:%d check inter 200ms
                    """.formatted(
                    stats, FreePort.next(), server.user(), proxy.address().getPort()));
            Process process = new ProcessBuilder(haproxy.toString(), "-db", "-f", config.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("log").toFile())
                    .start();
            try {
                // HAProxy starts a server as UP. It must still be UP after the first protocol checks.
                await().atMost(SOON)
                        .untilAsserted(() -> assertThat(proxy.count("understudy.connections", "accepted"))
                                .isGreaterThan(3));
                String row = row(stats);
                assertThat(row).contains(",UP,").contains("L7OK");
                assertThat(proxy.count("understudy.connections", "handshake_malformed"))
                        .isZero();
            } finally {
                process.destroyForcibly().waitFor();
            }
        }
    }

    private static String row(Path stats) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(stats));
            channel.write(ByteBuffer.wrap("show stat\n".getBytes(StandardCharsets.US_ASCII)));
            ByteBuffer all = ByteBuffer.allocate(1 << 16);
            while (channel.read(all) >= 0) {
                // Read to the end of the stream.
            }
            return new String(all.array(), 0, all.position(), StandardCharsets.US_ASCII)
                    .lines()
                    .filter(line -> line.startsWith("mysql,s1,"))
                    .findFirst()
                    .orElse("");
        }
    }
}
