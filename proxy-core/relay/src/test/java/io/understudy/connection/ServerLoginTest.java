package io.understudy.connection;

import static io.understudy.testkit.Bytes.concat;
import static io.understudy.testkit.Bytes.of;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerFlavor;
import io.understudy.protocol.Capabilities;
import io.understudy.server.QueryPool;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.session.FakeServer;
import io.understudy.testkit.session.FakeServerConnection;
import io.understudy.testkit.session.RsaKeys;
import io.understudy.wire.packet.HandshakeResponse41;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.crypto.Cipher;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ServerLoginTest {
    private static final Loops LOOPS = new Loops();
    private static final String PASSWORD = "sésame";

    @AfterAll
    static void stop() {
        LOOPS.close();
    }

    private static byte[] hash(String algorithm, byte[]... parts) throws Exception {
        MessageDigest digest = MessageDigest.getInstance(algorithm);
        for (byte[] part : parts) {
            digest.update(part);
        }
        return digest.digest();
    }

    private static byte[] password() {
        return PASSWORD.getBytes(StandardCharsets.UTF_8);
    }

    /** Recovers SHA(password) from the response like a server, and compares its hash with the stored one. */
    private static void assertProves(byte[] response, String algorithm, byte[] mask) throws Exception {
        byte[] once = new byte[response.length];
        for (int i = 0; i < once.length; i++) {
            once[i] = (byte) (response[i] ^ mask[i]);
        }
        assertThat(hash(algorithm, once)).isEqualTo(hash(algorithm, hash(algorithm, password())));
    }

    private static byte[] nativeMask(byte[] scramble) throws Exception {
        return hash("SHA-1", scramble, hash("SHA-1", hash("SHA-1", password())));
    }

    private static byte[] sha2Mask(byte[] scramble) throws Exception {
        return hash("SHA-256", hash("SHA-256", hash("SHA-256", password())), scramble);
    }

    /** Returns the authentication data of a handshake response. */
    private static byte[] responseIn(byte[] response) {
        int at = 32;
        while (response[at] != 0) {
            at++;
        }
        int length = response[at + 1];
        return Arrays.copyOfRange(response, at + 2, at + 2 + length);
    }

    @Test
    void nativePassword() throws Exception {
        try (FakeServer server = new FakeServer(s -> {
            s.greet("mysql_native_password");
            byte[] response = s.receive();
            HandshakeResponse41 handshakeResponse = HandshakeResponse41.parse(Bytes.unpooled(response));
            assertThat(handshakeResponse.user()).isEqualTo("app");
            assertThat(handshakeResponse.authPlugin()).isEqualTo("mysql_native_password");
            assertThat(handshakeResponse.capabilities()
                            & (Capabilities.COMPRESS
                                    | Capabilities.SESSION_TRACK
                                    | Capabilities.SSL
                                    | Capabilities.LOCAL_FILES))
                    .isZero();
            assertThat(new String(response, StandardCharsets.UTF_8)).contains("program_name", "understudy");
            assertProves(responseIn(response), "SHA-1", nativeMask(FakeServerConnection.SCRAMBLE));
            s.send(FakeServerConnection.OK);
            assertThat(s.receive()).containsExactly(1);
        })) {
            ServerConnection connection = LOOPS.connect(server, PASSWORD);
            assertThat(connection.isOpen()).isTrue();
            assertThat(connection.threadId()).isEqualTo(77);
            assertThat(connection.flavor()).isEqualTo(ServerFlavor.MYSQL);
            connection.close();
            server.await();
        }
    }

    @Test
    void emptyPasswordSendsNoResponse() throws Exception {
        try (FakeServer server = new FakeServer(s -> {
            s.greet("mysql_native_password");
            assertThat(responseIn(s.receive())).isEmpty();
            s.send(FakeServerConnection.OK);
        })) {
            LOOPS.connect(server, "");
            server.await();
        }
    }

    @Test
    void cachingSha2FastAuthentication() throws Exception {
        try (FakeServer server = new FakeServer(s -> {
            s.greet("caching_sha2_password");
            assertProves(responseIn(s.receive()), "SHA-256", sha2Mask(FakeServerConnection.SCRAMBLE));
            s.send(Bytes.of(1, 3));
            s.send(FakeServerConnection.OK);
            assertThat(s.receive()).containsExactly(1);
        })) {
            ServerConnection connection = LOOPS.connect(server, PASSWORD);
            assertThat(connection.isOpen()).isTrue();
            connection.close();
            server.await();
        }
    }

    private static String pem(KeyPair keys) {
        return "-----BEGIN PUBLIC KEY-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'})
                        .encodeToString(keys.getPublic().getEncoded())
                + "\n-----END PUBLIC KEY-----\n";
    }

    @Test
    void cachingSha2FullAuthenticationWithTheGivenRsaKey(@TempDir Path folder) throws Exception {
        KeyPair keys = RsaKeys.pair();
        Path key = Files.writeString(folder.resolve("public_key.pem"), pem(keys));
        try (FakeServer server = new FakeServer(s -> {
            s.greet("caching_sha2_password");
            s.receive();
            s.send(Bytes.of(1, 4));
            byte[] encrypted = s.receive();
            Cipher cipher = Cipher.getInstance("RSA/ECB/OAEPWithSHA-1AndMGF1Padding");
            cipher.init(Cipher.DECRYPT_MODE, keys.getPrivate());
            byte[] mixed = cipher.doFinal(encrypted);
            for (int i = 0; i < mixed.length; i++) {
                mixed[i] ^= FakeServerConnection.SCRAMBLE[i % FakeServerConnection.SCRAMBLE.length];
            }
            assertThat(mixed).isEqualTo((PASSWORD + "\0").getBytes(StandardCharsets.UTF_8));
            s.send(FakeServerConnection.OK);
        })) {
            Loops.get(LOOPS.client(Loops.address(server), PASSWORD, key));
            server.await();
        }
    }

    @Test
    void anInvalidRsaKeyIsReportedWithTheRemedy(@TempDir Path folder) throws Exception {
        Path key = Files.writeString(folder.resolve("public_key.pem"), "no key");
        try (FakeServer server = new FakeServer(s -> {
            s.greet("caching_sha2_password");
            s.receive();
            s.send(Bytes.of(1, 4));
            assertThat(s.closedByPeer()).isTrue();
        })) {
            assertThatThrownBy(() -> Loops.get(LOOPS.client(Loops.address(server), PASSWORD, key)))
                    .isInstanceOf(ServerConnectionException.class)
                    .hasMessageContaining("authenticating with caching_sha2_password")
                    .hasMessageContaining("tls.serverKey " + key)
                    .hasMessageContaining("tls: { mode: required }");
            server.await();
        }
    }

    /** Whoever responds at a server's address could send a key of their own. */
    @ParameterizedTest
    @ValueSource(strings = {"caching_sha2_password", "sha256_password"})
    void noKeyIsTakenFromTheServer(String method) throws Exception {
        String pem = pem(RsaKeys.pair());
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        try (FakeServer server = new FakeServer(s -> {
            s.greet("mysql_native_password");
            s.receive();
            s.send(concat(Bytes.of(0xFE), (method + "\0").getBytes(US_ASCII), FakeServerConnection.SCRAMBLE, of(0)));
            if (method.startsWith("caching")) {
                s.receive();
                s.send(Bytes.of(1, 4));
            }
            try {
                s.send(concat(Bytes.of(1), pem.getBytes(US_ASCII)));
                closed.complete(s.closedByPeer());
            } catch (SocketException reset) {
                closed.complete(true);
            }
        })) {
            assertThatThrownBy(() -> LOOPS.connect(server, PASSWORD))
                    .isInstanceOf(ServerConnectionException.class)
                    .hasMessageContaining("no TLS")
                    .hasMessageContaining("tls.serverKey");
            assertThat(closed.get(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void noKeyIsTakenFromTheServerForAQuery() throws Exception {
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        try (FakeServer server = new FakeServer(s -> {
            s.greet("mysql_native_password");
            s.receive();
            s.send(concat(
                    of(0xFE), "caching_sha2_password\0".getBytes(US_ASCII), FakeServerConnection.SCRAMBLE, of(0)));
            s.receive();
            s.send(of(1, 4));
            closed.complete(s.closedByPeer());
        })) {
            assertThatThrownBy(() -> QueryPool.connect(
                            Loops.address(server),
                            new ServerTlsConfig(ServerTlsMode.PREFERRED, null, null, null),
                            "app",
                            Secret.parse(PASSWORD),
                            Duration.ofSeconds(5)))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("no TLS")
                    .hasMessageContaining("tls.serverKey");
            assertThat(closed.get(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void switchesTheMethodAndUsesTheNewScramble() throws Exception {
        byte[] other = "abcdefghijklmnopqrst".getBytes(StandardCharsets.US_ASCII);
        try (FakeServer server = new FakeServer(s -> {
            s.greet("caching_sha2_password");
            s.receive();
            s.send(concat(
                    Bytes.of(0xFE), "mysql_native_password\0".getBytes(StandardCharsets.US_ASCII), other, Bytes.of(0)));
            assertProves(s.receive(), "SHA-1", nativeMask(other));
            s.send(FakeServerConnection.OK);
        })) {
            LOOPS.connect(server, PASSWORD);
            server.await();
        }
    }

    @Test
    void anUnknownMethodIsReportedWithTheRemedy() throws Exception {
        try (FakeServer server = new FakeServer(s -> {
            s.greet("mysql_native_password");
            s.receive();
            s.send(concat(Bytes.of(0xFE), "dialog\0Password: ".getBytes(StandardCharsets.US_ASCII)));
            assertThat(s.closedByPeer()).isTrue();
        })) {
            assertThatThrownBy(() -> LOOPS.connect(server, PASSWORD))
                    .hasMessageContaining("'dialog'")
                    .hasMessageContaining("ALTER USER");
            server.await();
        }
    }

    @Test
    void noClearTextPasswordWithoutTls() throws Exception {
        try (FakeServer server = new FakeServer(s -> {
            s.greet("mysql_native_password");
            s.receive();
            s.send(concat(Bytes.of(0xFE), "mysql_clear_password\0".getBytes(StandardCharsets.US_ASCII)));
            assertThat(s.closedByPeer()).isTrue();
        })) {
            assertThatThrownBy(() -> LOOPS.connect(server, PASSWORD)).hasMessageContaining("over TLS only");
            server.await();
        }
    }

    @Test
    void aRefusalReportsServerAccountErrorAndRemedy() throws Exception {
        try (FakeServer server = new FakeServer(s -> {
            s.greet("mysql_native_password");
            s.receive();
            s.error(1045, "Access denied for user 'app'@'localhost'");
        })) {
            assertThatThrownBy(() -> LOOPS.connect(server, PASSWORD))
                    .isInstanceOf(ServerConnectionException.class)
                    .hasMessageContaining("no connection to " + Loops.address(server) + " as 'app'")
                    .hasMessageContaining("1045")
                    .hasMessageContaining("Access denied")
                    .hasMessageContaining("ALTER USER");
        }
    }

    @Test
    void aRefusalInPlaceOfTheHandshakePacketIsReported() throws Exception {
        try (FakeServer server = new FakeServer(s -> s.error(1040, "Too many connections"))) {
            assertThatThrownBy(() -> LOOPS.connect(server, PASSWORD))
                    .hasMessageContaining("waiting for the server's handshake packet")
                    .hasMessageContaining("Too many connections")
                    .hasMessageContaining("SET GLOBAL max_connections");
        }
    }

    @Test
    void requiredTlsThatIsNotOfferedIsReported() throws Exception {
        try (FakeServer server = new FakeServer(s -> {
            s.greet("mysql_native_password");
            assertThat(s.closedByPeer()).isTrue();
        })) {
            assertThatThrownBy(() -> Loops.get(LOOPS.client(
                            Loops.address(server), PASSWORD, ServerTlsMode.REQUIRED, Duration.ofSeconds(10))))
                    .hasMessageContaining("offers no TLS");
            server.await();
        }
    }

    @Test
    void clearTextBytesAfterTheHandshakePacketAreRefusedIfTlsIsRequested() throws Exception {
        try (FakeServer server = new FakeServer(s -> {
            s.greet("mysql_native_password", FakeServerConnection.CAPABILITIES | Capabilities.SSL);
            byte[] request = s.receive();
            assertThat(HandshakeResponse41.parse(Bytes.unpooled(request)).isTlsRequest())
                    .isTrue();
            s.send(FakeServerConnection.OK);
            s.closedByPeer();
        })) {
            assertThatThrownBy(() -> LOOPS.connect(server, PASSWORD)).hasMessageContaining("TLS");
        }
    }

    @Test
    void aSilentServerIsGivenUpAtTheTimeout() throws Exception {
        CompletableFuture<Void> release = new CompletableFuture<>();
        try (FakeServer server = new FakeServer(s -> release.join())) {
            assertThatThrownBy(() -> Loops.get(LOOPS.client(
                            Loops.address(server), PASSWORD, ServerTlsMode.PREFERRED, Duration.ofMillis(100))))
                    .hasMessageContaining("100 ms")
                    .hasMessageContaining("handshake packet");
            release.complete(null);
        }
    }

    @Test
    void aPeerThatIsNoDatabaseServerIsReported() throws Exception {
        try (FakeServer server = new FakeServer(s -> {
            s.raw("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n".getBytes(StandardCharsets.US_ASCII));
            s.closedByPeer();
        })) {
            assertThatThrownBy(() -> LOOPS.connect(server, PASSWORD))
                    .hasMessageContaining("does not speak the protocol")
                    .hasMessageContaining("check address and port");
        }
    }

    @Test
    void aServerThatClosesIsReported() throws Exception {
        try (FakeServer server = new FakeServer(s -> {
            s.greet("mysql_native_password");
            s.receive();
        })) {
            assertThatThrownBy(() -> LOOPS.connect(server, PASSWORD))
                    .hasMessageContaining("closed the connection while authenticating");
        }
    }

    @Test
    void aRefusedConnectionIsReported() throws Exception {
        int port;
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = probe.getLocalPort();
        }
        assertThatThrownBy(() -> Loops.get(LOOPS.client(
                        Address.parse("127.0.0.1:" + port), PASSWORD, ServerTlsMode.PREFERRED, Duration.ofSeconds(5))))
                .hasMessageContaining("connecting: connection refused")
                .hasMessageContaining("127.0.0.1:" + port);
    }
}
