package io.understudy.handshake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.understudy.protocol.Capabilities;
import io.understudy.testkit.session.FakeLeg;
import io.understudy.testkit.session.RsaKeys;
import io.understudy.wire.packet.AuthResponseField;
import io.understudy.wire.packet.ErrPacket;
import io.understudy.wire.packet.HandshakeResponse41;
import io.understudy.wire.packet.HandshakeV10;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.Objects;
import javax.crypto.Cipher;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AuthBridgeTest {
    private static final byte[] PASSWORD = "secret\0".getBytes(StandardCharsets.UTF_8);
    private static final byte[] SCRAMBLE = "01234567890123456789".getBytes(StandardCharsets.US_ASCII);

    private static final long LAYOUT = Capabilities.PLUGIN_AUTH
            | Capabilities.PLUGIN_AUTH_LENENC_DATA
            | Capabilities.SECURE_CONNECTION
            | Capabilities.CONNECT_WITH_DB;

    private final FakeLeg client = new FakeLeg(UnpooledByteBufAllocator.DEFAULT);
    private final FakeLeg server = new FakeLeg(UnpooledByteBufAllocator.DEFAULT);
    private final Handshake handshake =
            new Handshake(client, server, LoginPolicy.PLAIN, false, new Handshake.Outcome() {
                @Override
                public void loggedIn(LoginResult result) {}

                @Override
                public void refusedByServer(ErrPacket err) {}
            });

    private AuthBridge bridge(boolean clientSecret, String method) {
        HandshakeV10 handshakeV10 = new HandshakeV10("8.4.0", 1, 0, 45, 2, SCRAMBLE, "caching_sha2_password");
        HandshakeResponse41 handshakeResponse =
                new HandshakeResponse41(0, 0, 45, "app", null, "caching_sha2_password", false);
        AuthBridge bridge = AuthBridge.between(clientSecret, !clientSecret, handshakeV10, handshakeResponse);
        assertThat(bridge).isNotNull();
        if (method.equals("sha256_password")) {
            ByteBuf change = Unpooled.buffer()
                    .writeByte(0xFE)
                    .writeBytes("sha256_password\0".getBytes(StandardCharsets.US_ASCII))
                    .writeBytes(SCRAMBLE)
                    .writeByte(0);
            assertThat(bridge.fromServer(change, handshake)).isFalse();
        } else {
            assertThat(bridge.fromServer(bytes(1, 4), handshake)).isFalse();
        }
        return bridge;
    }

    private static ByteBuf bytes(int... values) {
        ByteBuf out = Unpooled.buffer();
        Arrays.stream(values).forEach(out::writeByte);
        return out;
    }

    private static byte[] payload(byte[] packet) {
        return Arrays.copyOfRange(packet, 4, packet.length);
    }

    private static byte[] masked(byte[] bytes) {
        byte[] out = bytes.clone();
        for (int i = 0; i < out.length; i++) {
            out[i] ^= SCRAMBLE[i % SCRAMBLE.length];
        }
        return out;
    }

    @Test
    void equallySecureLegsNeedNoBridge() {
        HandshakeV10 handshakeV10 = new HandshakeV10("8.4.0", 1, 0, 45, 2, SCRAMBLE, "caching_sha2_password");
        HandshakeResponse41 handshakeResponse =
                new HandshakeResponse41(0, 0, 45, "app", null, "caching_sha2_password", false);
        assertThat(AuthBridge.between(true, true, handshakeV10, handshakeResponse))
                .isNull();
        assertThat(AuthBridge.between(false, false, handshakeV10, handshakeResponse))
                .isNull();
    }

    @ParameterizedTest
    @CsvSource({"caching_sha2_password, 2", "sha256_password, 1"})
    void aClearTextPasswordIsEncryptedForTheServer(String method, int keyRequest) throws Exception {
        KeyPair pair = RsaKeys.pair();
        AuthBridge bridge = bridge(true, method);

        ByteBuf password = Unpooled.copiedBuffer(PASSWORD);
        assertThat(bridge.fromClient(password, handshake)).isTrue();
        assertThat(password).isEqualTo(Unpooled.wrappedBuffer(new byte[PASSWORD.length]));
        assertThat(payload(server.take())).containsExactly(keyRequest);

        String pem = "-----BEGIN PUBLIC KEY-----\n"
                + Base64.getMimeEncoder().encodeToString(pair.getPublic().getEncoded())
                + "\n-----END PUBLIC KEY-----\n";
        ByteBuf key = bytes(1).writeBytes(pem.getBytes(StandardCharsets.US_ASCII));
        assertThat(bridge.fromServer(key, handshake)).isTrue();
        Cipher cipher = Cipher.getInstance(ProxyRsaKey.TRANSFORMATION);
        cipher.init(Cipher.DECRYPT_MODE, pair.getPrivate());
        assertThat(masked(cipher.doFinal(payload(server.take())))).isEqualTo(PASSWORD);
        assertThat(client.take()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"caching_sha2_password, 2", "sha256_password, 1"})
    void anEncryptedPasswordIsDecryptedForTheServer(String method, int keyRequest) throws Exception {
        AuthBridge bridge = bridge(false, method);
        assertThat(bridge.fromClient(bytes(keyRequest), handshake)).isTrue();
        byte[] response = payload(client.take());
        assertThat(response[0]).isEqualTo((byte) 1);
        String pem = new String(response, 1, response.length - 1, StandardCharsets.US_ASCII);
        PublicKey key = KeyFactory.getInstance("RSA")
                .generatePublic(new X509EncodedKeySpec(
                        Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""))));
        Cipher cipher = Cipher.getInstance(ProxyRsaKey.TRANSFORMATION);
        cipher.init(Cipher.ENCRYPT_MODE, key);

        assertThat(bridge.fromClient(Unpooled.wrappedBuffer(cipher.doFinal(masked(PASSWORD))), handshake))
                .isTrue();
        assertThat(payload(server.take())).isEqualTo(PASSWORD);
    }

    @Test
    void aPasswordUnderAnotherKeyIsRefused() {
        AuthBridge bridge = bridge(false, "caching_sha2_password");
        assertThatThrownBy(() -> bridge.fromClient(Unpooled.wrappedBuffer(new byte[256]), handshake))
                .isInstanceOfSatisfying(
                        LoginRefusal.class, e -> assertThat(e.error().code()).isEqualTo(1045))
                .hasMessageContaining("encrypted with a key that is not the proxy's");
    }

    /** As Connector/C 3.3.20 does, the library of MariaDB 10.11's client, without {@code --skip-ssl}. */
    @ParameterizedTest
    @CsvSource({"caching_sha2_password", "sha256_password"})
    void aPasswordInClearOverALegWithoutTlsIsRefusedAsSuch(String method) {
        AuthBridge bridge = bridge(false, method);
        ByteBuf password = Unpooled.copiedBuffer(PASSWORD);
        assertThatThrownBy(() -> bridge.fromClient(password, handshake))
                .isInstanceOf(LoginRefusal.class)
                .hasMessageContaining("start it with --skip-ssl, or set listen.tls");
        assertThat(password).isEqualTo(Unpooled.wrappedBuffer(new byte[PASSWORD.length]));
        assertThat(server.take()).isEmpty();
    }

    /**
     * The server's default method is sha256_password, so the handshake response already carries the first
     * authentication data.
     */
    private static ByteBuf response(byte[] response) {
        return Unpooled.buffer()
                .writeZero(32)
                .writeBytes("app\0".getBytes(StandardCharsets.US_ASCII))
                .writeByte(response.length)
                .writeBytes(response)
                .writeBytes("shop\0sha256_password\0rest".getBytes(StandardCharsets.US_ASCII));
    }

    private AuthBridge sha256Bridge(boolean clientSecret) {
        HandshakeV10 handshakeV10 = new HandshakeV10("8.4.0", 1, 0, 45, 2, SCRAMBLE, "sha256_password");
        HandshakeResponse41 handshakeResponse =
                new HandshakeResponse41(0, 0, 45, "app", "shop", "sha256_password", false);
        AuthBridge bridge = AuthBridge.between(clientSecret, !clientSecret, handshakeV10, handshakeResponse);
        assertThat(bridge).isNotNull();
        return bridge;
    }

    private static byte @Nullable [] first(AuthBridge bridge, ByteBuf response) {
        return bridge.first(response, AuthResponseField.ofHandshake(response, LAYOUT));
    }

    @Test
    void aPasswordInTheHandshakeResponseIsNotForwarded() throws Exception {
        KeyPair pair = RsaKeys.pair();
        AuthBridge bridge = sha256Bridge(true);
        ByteBuf response = response(PASSWORD);
        assertThat(first(bridge, response)).isEqualTo(ByteBufUtil.getBytes(response(new byte[] {1})));
        assertThat(response.toString(StandardCharsets.US_ASCII)).doesNotContain("secret");

        String pem = "-----BEGIN PUBLIC KEY-----\n"
                + Base64.getMimeEncoder().encodeToString(pair.getPublic().getEncoded())
                + "\n-----END PUBLIC KEY-----\n";
        assertThat(bridge.fromServer(bytes(1).writeBytes(pem.getBytes(StandardCharsets.US_ASCII)), handshake))
                .isTrue();
        Cipher cipher = Cipher.getInstance(ProxyRsaKey.TRANSFORMATION);
        cipher.init(Cipher.DECRYPT_MODE, pair.getPrivate());
        assertThat(masked(cipher.doFinal(payload(server.take())))).isEqualTo(PASSWORD);
    }

    @Test
    void aKeyRequestInTheHandshakeResponseIsRemoved() {
        AuthBridge bridge = sha256Bridge(false);
        byte[] told = Objects.requireNonNull(first(bridge, response(new byte[] {1})));
        assertThat(new String(told, 32, told.length - 32, StandardCharsets.US_ASCII))
                .isEqualTo("app\0\0shop\0\0rest");
        ByteBuf change = Unpooled.buffer()
                .writeByte(0xFE)
                .writeBytes("sha256_password\0".getBytes(StandardCharsets.US_ASCII))
                .writeBytes(SCRAMBLE)
                .writeByte(0);
        assertThat(bridge.fromServer(change, handshake)).isFalse();
        assertThat(bridge.fromClient(bytes(1), handshake)).isTrue();
        assertThat(payload(client.take())[0]).isEqualTo((byte) 1);
    }

    @Test
    void anEmptyPasswordIsForwarded() {
        assertThat(first(sha256Bridge(true), response(new byte[0]))).isNull();
        assertThat(first(sha256Bridge(true), response(new byte[1]))).isNull();
        assertThat(first(sha256Bridge(false), response(new byte[0]))).isNull();
    }

    @Test
    void theNextFactorsMethodIsBridgedToo() {
        AuthBridge bridge = sha256Bridge(false);
        ByteBuf factor = Unpooled.buffer()
                .writeByte(2)
                .writeBytes("caching_sha2_password\0".getBytes(StandardCharsets.US_ASCII))
                .writeBytes(SCRAMBLE)
                .writeByte(0);
        assertThat(bridge.fromServer(factor, handshake)).isFalse();
        assertThat(bridge.fromServer(bytes(1, 4), handshake)).isFalse();
        assertThat(bridge.fromClient(bytes(2), handshake)).isTrue();
        assertThat(payload(client.take())[0]).isEqualTo((byte) 1);
    }
}
