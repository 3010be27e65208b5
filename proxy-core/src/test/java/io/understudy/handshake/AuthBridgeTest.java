package io.understudy.handshake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.understudy.testkit.FakeLeg;
import io.understudy.wire.packet.ClientReply;
import io.understudy.wire.packet.ErrPacket;
import io.understudy.wire.packet.Greeting;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Cipher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AuthBridgeTest {
    private static final byte[] PASSWORD = "secret\0".getBytes(StandardCharsets.UTF_8);
    private static final byte[] SCRAMBLE = "01234567890123456789".getBytes(StandardCharsets.US_ASCII);

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
        Greeting greeting = new Greeting("8.4.0", 1, 0, 45, 2, SCRAMBLE, "caching_sha2_password");
        ClientReply reply = new ClientReply(0, 0, 45, "app", null, "caching_sha2_password", false);
        AuthBridge bridge = AuthBridge.between(clientSecret, !clientSecret, handshake, greeting, reply);
        assertThat(bridge).isNotNull();
        if (method.equals("sha256_password")) {
            ByteBuf change = Unpooled.buffer()
                    .writeByte(0xFE)
                    .writeBytes("sha256_password\0".getBytes(StandardCharsets.US_ASCII))
                    .writeBytes(SCRAMBLE)
                    .writeByte(0);
            assertThat(bridge.fromServer(change)).isFalse();
        } else {
            assertThat(bridge.fromServer(bytes(1, 4))).isFalse();
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
    void legsThatAreAlikeNeedNoBridge() {
        Greeting greeting = new Greeting("8.4.0", 1, 0, 45, 2, SCRAMBLE, "caching_sha2_password");
        ClientReply reply = new ClientReply(0, 0, 45, "app", null, "caching_sha2_password", false);
        assertThat(AuthBridge.between(true, true, handshake, greeting, reply)).isNull();
        assertThat(AuthBridge.between(false, false, handshake, greeting, reply)).isNull();
    }

    @ParameterizedTest
    @CsvSource({"caching_sha2_password, 2", "sha256_password, 1"})
    void aPasswordInClearIsEncryptedForTheServer(String method, int keyRequest) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        KeyPair pair = generator.generateKeyPair();
        AuthBridge bridge = bridge(true, method);

        ByteBuf password = Unpooled.copiedBuffer(PASSWORD);
        assertThat(bridge.fromClient(password)).isTrue();
        assertThat(password).isEqualTo(Unpooled.wrappedBuffer(new byte[PASSWORD.length]));
        assertThat(payload(server.take())).containsExactly(keyRequest);

        String pem = "-----BEGIN PUBLIC KEY-----\n"
                + Base64.getMimeEncoder().encodeToString(pair.getPublic().getEncoded())
                + "\n-----END PUBLIC KEY-----\n";
        ByteBuf key = bytes(1).writeBytes(pem.getBytes(StandardCharsets.US_ASCII));
        assertThat(bridge.fromServer(key)).isTrue();
        Cipher cipher = Cipher.getInstance(OwnKey.TRANSFORMATION);
        cipher.init(Cipher.DECRYPT_MODE, pair.getPrivate());
        assertThat(masked(cipher.doFinal(payload(server.take())))).isEqualTo(PASSWORD);
        assertThat(client.take()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"caching_sha2_password, 2", "sha256_password, 1"})
    void anEncryptedPasswordIsDecryptedForTheServer(String method, int keyRequest) throws Exception {
        AuthBridge bridge = bridge(false, method);
        assertThat(bridge.fromClient(bytes(keyRequest))).isTrue();
        byte[] answer = payload(client.take());
        assertThat(answer[0]).isEqualTo((byte) 1);
        String pem = new String(answer, 1, answer.length - 1, StandardCharsets.US_ASCII);
        PublicKey key = KeyFactory.getInstance("RSA")
                .generatePublic(new X509EncodedKeySpec(
                        Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""))));
        Cipher cipher = Cipher.getInstance(OwnKey.TRANSFORMATION);
        cipher.init(Cipher.ENCRYPT_MODE, key);

        assertThat(bridge.fromClient(Unpooled.wrappedBuffer(cipher.doFinal(masked(PASSWORD)))))
                .isTrue();
        assertThat(payload(server.take())).isEqualTo(PASSWORD);
    }

    @Test
    void aPasswordUnderAnotherKeyIsRefused() {
        AuthBridge bridge = bridge(false, "caching_sha2_password");
        assertThatThrownBy(() -> bridge.fromClient(Unpooled.wrappedBuffer(new byte[256])))
                .isInstanceOfSatisfying(
                        Refusal.class, e -> assertThat(e.error().code()).isEqualTo(1045));
    }
}
