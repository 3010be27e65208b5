package io.understudy.connection;

import static io.understudy.testkit.Bytes.concat;
import static io.understudy.testkit.Bytes.of;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.Transport;
import io.understudy.connection.auth.LoginSecret;
import io.understudy.connection.auth.LoginSecret.NativeKey;
import io.understudy.handshake.LoginPolicy;
import io.understudy.handshake.LoginPolicy.ConnectionTls;
import io.understudy.handshake.LoginPolicy.Proofs;
import io.understudy.handshake.LoginPolicy.ServerTls;
import io.understudy.plugin.ServerConnection;
import io.understudy.protocol.Capabilities;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.session.FakeServer;
import io.understudy.testkit.session.FakeServerConnection;
import io.understudy.wire.packet.HandshakeResponse41;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SessionConnectorTest {
    private static final NetworkTransport TRANSPORT = NetworkTransport.resolve(Transport.NIO);
    private static final EventLoopGroup LOOPS = TRANSPORT.relayGroup(1, "test-session");
    private static final long SERVER =
            FakeServerConnection.CAPABILITIES | Capabilities.FOUND_ROWS | Capabilities.CONNECT_WITH_DB;

    private static ServerLogin login(LoginSecret secret, @Nullable String schema, long capabilities) {
        Map<String, String> attributes = Map.of("program_name", "billing");
        return new ServerLogin("app", secret, schema, capabilities, 63, 1 << 24, attributes, true);
    }

    private static byte[] sha1(byte[]... parts) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-1");
        Arrays.stream(parts).forEach(digest::update);
        return digest.digest();
    }

    private static NativeKey key() throws Exception {
        return new NativeKey(sha1("secret".getBytes(US_ASCII)));
    }

    private static byte[] responseTo(byte[] scramble) throws Exception {
        byte[] once = sha1("secret".getBytes(US_ASCII));
        byte[] mask = sha1(scramble, sha1(once));
        for (int i = 0; i < once.length; i++) {
            once[i] ^= mask[i];
        }
        return once;
    }

    private static ServerConnection connect(LoginPolicy policy, Address to, ServerLogin login, @Nullable ByteBuf header)
            throws Exception {
        SessionConnector connector = new SessionConnector(
                TRANSPORT,
                policy,
                null,
                WriteBufferWaterMark.DEFAULT,
                () -> false,
                Duration.ofSeconds(5),
                Duration.ofSeconds(10));
        try {
            return connector
                    .connect(LOOPS.next(), to, login, header)
                    .toCompletableFuture()
                    .get(20, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw (Exception) e.getCause();
        }
    }

    @AfterAll
    static void stop() {
        LOOPS.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    @Test
    void saysWhatTheClientSaidAndProvesTheKeyAlone() throws Exception {
        byte[] header = "PROXY TCP4 10.0.0.9 10.0.0.1 4711 3307\r\n".getBytes(US_ASCII);
        try (FakeServer server = new FakeServer(s -> {
            assertThat(s.in().readNBytes(header.length)).isEqualTo(header);
            s.greet("caching_sha2_password", SERVER);
            byte[] response = s.receive();
            assertThat(HandshakeResponse41.parse(Bytes.unpooled(response)))
                    .isEqualTo(new HandshakeResponse41(
                            SERVER, 1 << 24, 63, "app", "shop", "mysql_native_password", false));
            assertThat(HandshakeResponse41.attributes(Bytes.unpooled(response), SERVER))
                    .containsOnly(Map.entry("program_name", "billing"));
            assertThat(Arrays.copyOfRange(response, 37, 57)).isEqualTo(responseTo(FakeServerConnection.SCRAMBLE));
            byte[] other = "abcdefghijklmnopqrst".getBytes(US_ASCII);
            s.send(concat(of(0xFE), "mysql_native_password\0".getBytes(US_ASCII), other, of(0)));
            assertThat(s.receive()).isEqualTo(responseTo(other));
            s.send(FakeServerConnection.OK);
        })) {
            ByteBuf bytes = ByteBufAllocator.DEFAULT.buffer().writeBytes(header);
            ServerLogin login = login(key(), "shop", SERVER | Capabilities.SSL | Capabilities.COMPRESS);
            ServerConnection connection = connect(LoginPolicy.PLAIN, Loops.address(server), login, bytes);
            assertThat(connection.threadId()).isEqualTo(77);
            server.await();
        }
    }

    @Test
    void aServerThatLacksWhatTheClientUsesIsRefused() throws Exception {
        try (FakeServer server = new FakeServer(s -> {
            s.greet("mysql_native_password", SERVER);
            assertThat(s.closedByPeer()).isTrue();
        })) {
            ServerLogin login = login(key(), null, SERVER | Capabilities.LOCAL_FILES);
            assertThatThrownBy(() -> connect(LoginPolicy.PLAIN, Loops.address(server), login, null))
                    .isInstanceOf(ServerConnectionException.class)
                    .hasMessageContaining("does not offer capabilities 0x80,")
                    .hasMessageContaining("local_infile");
            server.await();
        }
    }

    @Test
    void aKeyIsNoPassword() throws Exception {
        try (FakeServer server = new FakeServer(s -> {
            s.greet("caching_sha2_password", SERVER);
            s.receive();
            s.send(concat(of(0xFE), "caching_sha2_password\0".getBytes(US_ASCII), FakeServerConnection.SCRAMBLE));
            assertThat(s.closedByPeer()).isTrue();
        })) {
            assertThatThrownBy(
                            () -> connect(LoginPolicy.PLAIN, Loops.address(server), login(key(), null, SERVER), null))
                    .hasMessageContaining("the password is not known")
                    .hasMessageContaining("failover.accounts");
            server.await();
        }
    }

    @Test
    void tlsFollowsTheClientsLegAndIsRequiredAsForIt() throws Exception {
        LoginPolicy asClient = new LoginPolicy(
                ConnectionTls.DISABLED,
                null,
                ServerTls.AS_CLIENT,
                alloc -> {
                    throw new IllegalStateException("not reached");
                },
                0,
                false,
                List.of(),
                Proofs.OFF);
        LoginPolicy required = new LoginPolicy(
                ConnectionTls.DISABLED,
                null,
                ServerTls.REQUIRED,
                asClient.serverEnd(),
                0,
                false,
                List.of(),
                Proofs.OFF);
        try (FakeServer server = new FakeServer(s -> {
            s.greet("mysql_native_password", SERVER | Capabilities.SSL);
            assertThat(HandshakeResponse41.parse(Bytes.unpooled(s.receive())).isTlsRequest())
                    .isTrue();
        })) {
            assertThatThrownBy(() -> connect(asClient, Loops.address(server), login(key(), null, SERVER), null))
                    .hasMessageContaining("not reached");
            server.await();
        }
        try (FakeServer server = new FakeServer(s -> {
            s.greet("mysql_native_password", SERVER);
            assertThat(s.closedByPeer()).isTrue();
        })) {
            assertThatThrownBy(() -> connect(required, Loops.address(server), login(key(), null, SERVER), null))
                    .hasMessageContaining("primary.tls.mode");
            server.await();
        }
    }

    @Test
    void aHeaderThatIsNotSentIsReleased() throws Exception {
        int port;
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = probe.getLocalPort();
        }
        ByteBuf header = ByteBufAllocator.DEFAULT.buffer().writeByte(1);
        assertThatThrownBy(() -> connect(
                        LoginPolicy.PLAIN, Address.parse("127.0.0.1:" + port), login(key(), null, SERVER), header))
                .hasMessageContaining("connection refused");
        assertThat(header.refCnt()).isZero();
    }

    @Test
    void secretsCanBeWiped() throws Exception {
        NativeKey key = key();
        key.wipe();
        assertThat(key.sha1OfPassword()).isEqualTo(new byte[20]);
        LoginSecret.Password password = (LoginSecret.Password) LoginSecret.of(Secret.parse("sésame"));
        assertThat(password.bytes()).hasSize(7);
        assertThat(password + " " + key).doesNotContain("same");
        password.wipe();
        assertThat(password.bytes()).isEqualTo(new byte[7]);
    }
}
