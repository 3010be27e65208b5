package io.understudy.handshake;

import static io.understudy.testkit.Bytes.concat;
import static io.understudy.testkit.Bytes.of;
import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.packet;
import static io.understudy.testkit.Bytes.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.understudy.handshake.LoginPolicy.Proofs;
import io.understudy.handshake.LoginProof.ClearText;
import io.understudy.handshake.LoginProof.NativeResponse;
import io.understudy.handshake.LoginProof.None;
import io.understudy.protocol.Capabilities;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.FakeLeg;
import io.understudy.testkit.session.Scripted;
import io.understudy.wire.packet.ErrPacket;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import javax.crypto.Cipher;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What logins show of the client's secret, packet by packet. */
@ExtendWith(LeakCheck.class)
class LoginProofTest {
    private static final byte[] SCRAMBLE = text("12345678abcdefghijkl");
    private static final byte[] OTHER = text("ABCDEFGHIJKLMNOPQRST");
    private static final byte[] HASH = text("<<<< twenty bytes >>");
    private static final byte[] MORE_FULL = of(1, 4);
    private static final byte[] MORE_FAST = of(1, 3);

    private final Memory memory = Memory.direct();
    private final FakeLeg client = new FakeLeg(UnpooledByteBufAllocator.DEFAULT);
    private final FakeLeg server = new FakeLeg(UnpooledByteBufAllocator.DEFAULT);
    private Handshake handshake = handshake(Proofs.SEEN);
    private @Nullable LoginResult result;
    private int fromClient;
    private int fromServer;

    private Handshake handshake(Proofs proofs) {
        return handshake(proofs, client, server);
    }

    private Handshake handshake(Proofs proofs, FakeLeg client, FakeLeg server) {
        return new Handshake(client, server, LoginPolicy.PLAIN.with(proofs), false, new Handshake.Outcome() {
            @Override
            public void loggedIn(LoginResult login) {
                result = login;
            }

            @Override
            public void refusedByServer(ErrPacket err) {}
        });
    }

    @BeforeEach
    void secureOnBothLegs() {
        client.beLocal();
        server.beLocal();
    }

    @AfterEach
    void nothingIsLeft() {
        handshake.close();
    }

    private void server(byte[]... payloads) {
        byte[] all = new byte[0];
        for (byte[] payload : payloads) {
            all = concat(all, packet(fromServer++, payload));
            fromClient++;
        }
        handshake.fromServer(Bytes.buffer(memory.alloc(), all));
    }

    /** The numbers of the client's leg differ where the proxy has taken part. */
    private void client(byte[] payload) {
        handshake.fromClient(Bytes.buffer(memory.alloc(), packet(fromClient++, payload)));
        fromServer++;
    }

    private void begin(String method, byte[] response) {
        server(Scripted.handshakeV10(Scripted.CLASSIC, "8.4.0"));
        client(concat(
                Bytes.int4((int) Scripted.CLASSIC),
                Bytes.int4(1 << 24),
                of(45),
                new byte[23],
                text("app\0"),
                of(response.length),
                response,
                text(method + "\0")));
    }

    private static byte[] switchTo(String method) {
        return concat(of(0xFE), text(method + "\0"), OTHER, of(0));
    }

    private LoginProof proof() {
        server(ok(0, 2));
        assertThat(result).isNotNull();
        return result.proof();
    }

    private static void isPassword(LoginProof proof, String password) {
        assertThat(proof)
                .isInstanceOfSatisfying(
                        ClearText.class,
                        clear -> assertThat(clear.password()).isEqualTo(password.getBytes(StandardCharsets.UTF_8)));
        assertThat(proof.toString()).isEqualTo("password");
        proof.wipe();
        assertThat(((ClearText) proof).password()).isEqualTo(new byte[password.length()]);
    }

    private static void isResponse(LoginProof proof, byte[] scramble) {
        assertThat(proof).isInstanceOfSatisfying(NativeResponse.class, response -> {
            assertThat(response.scramble()).isEqualTo(scramble);
            assertThat(response.response()).isEqualTo(HASH);
            response.wipe();
            assertThat(response.response()).isEqualTo(new byte[20]);
        });
    }

    @Test
    void nativePasswordGivesItsResponse() {
        begin("mysql_native_password", HASH);
        isResponse(proof(), SCRAMBLE);
    }

    @Test
    void theLastMethodCounts() {
        begin("caching_sha2_password", new byte[32]);
        server(switchTo("client_ed25519"));
        client(new byte[64]);
        server(switchTo("mysql_native_password"));
        client(HASH);
        isResponse(proof(), OTHER);
    }

    @Test
    void fullAuthenticationGivesThePassword() {
        begin("caching_sha2_password", new byte[32]);
        server(MORE_FULL);
        client(text("secret\0"));
        isPassword(proof(), "secret");
    }

    @Test
    void withoutItNothingIsKnown() {
        begin("caching_sha2_password", new byte[32]);
        server(MORE_FAST);
        assertThat(proof()).isEqualTo(new None("caching_sha2_password"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"sha256_password", "mysql_clear_password", "dialog"})
    void methodsThatSendThePasswordGiveIt(String method) {
        begin("mysql_native_password", HASH);
        server(switchTo(method));
        client(text("s\0"));
        isPassword(proof(), "s");
    }

    @Test
    void thePasswordMayComeWithTheUser() {
        begin("sha256_password", text("secret\0"));
        isPassword(proof(), "secret");
    }

    @Test
    void severalQuestionsAreNotUnderstood() {
        begin("mysql_native_password", HASH);
        server(switchTo("dialog"));
        client(text("secret\0"));
        server(text("\4One-time code: "));
        client(text("123456\0"));
        assertThat(proof()).isEqualTo(new None("dialog with several questions"));
    }

    @Test
    void severalFactorsAreNotUnderstood() {
        begin("sha256_password", text("secret\0"));
        server(concat(of(2), text("mysql_clear_password\0")));
        client(text("second\0"));
        assertThat(proof()).isEqualTo(new None("several factors"));
    }

    @ParameterizedTest
    @CsvSource({
        "mysql_native_password, ''",
        "caching_sha2_password, '0'",
        "sha256_password, '0'",
        "client_ed25519, ''",
    })
    void anEmptyPasswordIsKnown(String method, String zeros) {
        begin(method, new byte[zeros.length()]);
        isPassword(proof(), "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"client_ed25519", "parsec", "auth_gssapi_client", "mysql_old_password"})
    void otherMethodsGiveNothing(String method) {
        begin("mysql_native_password", HASH);
        server(switchTo(method));
        client(new byte[64]);
        assertThat(proof()).isEqualTo(new None(method));
    }

    @Test
    void nothingIsRecordedUnlessAskedFor() {
        handshake = handshake(Proofs.OFF);
        begin("sha256_password", text("secret\0"));
        assertThat(proof()).isEqualTo(new None(""));
    }

    @ParameterizedTest
    @CsvSource({"caching_sha2_password, 2", "sha256_password, 1"})
    void whatTheProxyDecryptsIsKnown(String method, int keyRequest) throws Exception {
        FakeLeg open = new FakeLeg(UnpooledByteBufAllocator.DEFAULT);
        handshake = handshake(Proofs.SEEN, open, server);
        begin("mysql_native_password", HASH);
        server(switchTo(method));
        if (keyRequest == 2) {
            client(new byte[32]);
            server(MORE_FULL);
        }
        open.take();
        client(of(keyRequest));
        byte[] answer = open.take();
        String pem = new String(answer, 5, answer.length - 5, StandardCharsets.US_ASCII);
        Cipher cipher = Cipher.getInstance(ProxyRsaKey.TRANSFORMATION);
        cipher.init(
                Cipher.ENCRYPT_MODE,
                KeyFactory.getInstance("RSA")
                        .generatePublic(new X509EncodedKeySpec(
                                Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", "")))));
        byte[] masked = text("secret\0");
        for (int i = 0; i < masked.length; i++) {
            masked[i] ^= OTHER[i];
        }
        fromClient++;
        client(cipher.doFinal(masked));
        fromServer--; // the server has seen one packet of the two
        isPassword(proof(), "secret");
    }

    @Test
    void aClientThatHidesItsPasswordKeepsIt() {
        FakeLeg open = new FakeLeg(UnpooledByteBufAllocator.DEFAULT);
        FakeLeg openServer = new FakeLeg(UnpooledByteBufAllocator.DEFAULT);
        handshake = handshake(Proofs.DEMANDED, open, openServer);
        begin("caching_sha2_password", new byte[32]);
        server(MORE_FULL);
        client(of(2));
        server(concat(of(1), text("-----BEGIN PUBLIC KEY-----")));
        client(new byte[256]);
        assertThat(proof()).isEqualTo(new None("caching_sha2_password"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPasswordThatTheServerDoesNotNeedIsAskedForOnDemand(boolean together) {
        handshake = handshake(Proofs.DEMANDED);
        begin("caching_sha2_password", new byte[32]);
        client.take();
        server.take();
        if (together) {
            server(MORE_FAST, ok(0, 2));
        } else {
            server(MORE_FAST);
        }
        assertThat(client.take()).isEqualTo(packet(2, MORE_FULL));
        assertThat(handshake.serverDue()).isFalse();
        handshake.fromClient(Bytes.buffer(memory.alloc(), packet(3, text("secret\0"))));
        assertThat(server.take()).isEmpty();
        if (!together) {
            assertThat(result).isNull();
            assertThat(handshake.serverDue()).isTrue();
            server(ok(0, 2));
        }
        assertThat(client.take()).isEqualTo(packet(4, ok(0, 2)));
        assertThat(result).isNotNull();
        isPassword(result.proof(), "secret");
    }

    /** Neither the OK_Packet nor anything else is left behind. */
    @Test
    void aClientThatLeavesInPlaceOfItsPasswordEndsTheLogin() {
        handshake = handshake(Proofs.DEMANDED);
        begin("caching_sha2_password", new byte[32]);
        server(MORE_FAST, ok(0, 2));
        handshake.close();
        assertThat(result).isNull();
    }

    @Test
    void theFirstResponseMayBeEmptyOfAnythingElse() {
        server(Scripted.handshakeV10(Scripted.CLASSIC, "8.4.0"));
        long old = Scripted.CLASSIC & ~Capabilities.SECURE_CONNECTION;
        client(concat(
                Bytes.int4((int) old),
                Bytes.int4(1 << 24),
                of(45),
                new byte[23],
                text("app\0"),
                text("hash\0"),
                of(0)));
        assertThat(proof()).isInstanceOf(None.class);
    }
}
