package io.understudy.session;

import static io.understudy.testkit.Bytes.concat;
import static io.understudy.testkit.Bytes.err;
import static io.understudy.testkit.Bytes.int2;
import static io.understudy.testkit.Bytes.of;
import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.packet;
import static io.understudy.testkit.Bytes.shortString;
import static io.understudy.testkit.Bytes.slice;
import static io.understudy.testkit.Bytes.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.RsaKeys;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import javax.crypto.Cipher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** COM_CHANGE_USER between a leg over a Unix socket, which counts as secure, and one that is not. */
@ExtendWith(LeakCheck.class)
class ChangeUserBridgeTest {
    private static final String CACHING = "caching_sha2_password";
    private static final String SHA256 = "sha256_password";
    private static final String SCRAMBLE = "ABCDEFGHIJKLMNOPQRST";
    private static final byte[] PASSWORD = text("new secret\0");
    private static final byte[] PING = Bytes.command(CommandCode.PING, "");
    private static final byte[] OK = ok(0, ServerStatus.AUTOCOMMIT);

    private final Watcher watcher = new Watcher(Watcher.ALL);
    private final Scripted scripted = new Scripted(Memory.direct(), watcher);

    private void login(boolean clientSecret) {
        (clientSecret ? scripted.client : scripted.server).beLocal();
        scripted.loggedIn(Scripted.CLASSIC);
    }

    private static byte[] changeUser(String method, byte[] response) {
        return Bytes.command(
                CommandCode.CHANGE_USER,
                concat(text("other\0"), of(response.length), response, text("shop\0"), int2(45), text(method + "\0")));
    }

    private static byte[] switchTo(String method) {
        return concat(of(0xFE), text(method + "\0" + SCRAMBLE + "\0"));
    }

    private static byte[] masked(byte[] bytes) {
        byte[] out = bytes.clone();
        for (int i = 0; i < out.length; i++) {
            out[i] ^= (byte) SCRAMBLE.charAt(i % SCRAMBLE.length());
        }
        return out;
    }

    private static byte[] rsa(int mode, Key key, byte[] bytes) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("RSA/ECB/OAEPWithSHA-1AndMGF1Padding");
        cipher.init(mode, key);
        return cipher.doFinal(bytes);
    }

    private static String pem(KeyPair pair) {
        return "-----BEGIN PUBLIC KEY-----\n"
                + Base64.getMimeEncoder().encodeToString(pair.getPublic().getEncoded())
                + "\n-----END PUBLIC KEY-----\n";
    }

    /**
     * Asserts that both legs restarted their sequence numbers, that the tracker knows the new user, and that commands
     * are relayed.
     */
    private void isTheOtherUser() {
        assertThat(scripted.model().user()).isEqualTo("other");
        assertThat(scripted.model().schema()).isEqualTo("shop");
        assertThat(scripted.model().inFlight().isEmpty()).isTrue();
        scripted.client(PING);
        assertThat(scripted.server.take()).isEqualTo(PING);
        scripted.server(packet(1, OK));
        assertThat(scripted.client.take()).isEqualTo(packet(1, OK));
        scripted.finish();
    }

    @ParameterizedTest
    @ValueSource(strings = {CACHING, SHA256})
    void aSecureClientsPasswordIsEncryptedForTheServer(String method) throws Exception {
        login(true);
        KeyPair pair = RsaKeys.pair();
        boolean caching = method.equals(CACHING);
        byte[] command = changeUser(method, caching ? new byte[32] : PASSWORD);
        scripted.client(command);
        byte[] told = caching ? command : changeUser(method, of(1));
        assertThat(scripted.server.take()).as("a password in clear stays here").isEqualTo(told);
        scripted.server(packet(1, switchTo(method)));
        assertThat(scripted.client.take()).isEqualTo(packet(1, switchTo(method)));
        int client = 2;
        int server = 2;
        if (caching) {
            scripted.client(packet(client++, new byte[32]));
            assertThat(scripted.server.take()).isEqualTo(packet(server++, new byte[32]));
            scripted.server(packet(server++, of(1, 4)));
            assertThat(scripted.client.take()).isEqualTo(packet(client++, of(1, 4)));
        }
        scripted.client(packet(client++, PASSWORD));
        assertThat(scripted.server.take())
                .as("asks for the key in place of the password")
                .isEqualTo(packet(server++, of(caching ? 2 : 1)));
        scripted.server(packet(server++, concat(of(1), text(pem(pair)))));
        assertThat(scripted.client.take()).isEmpty();
        byte[] sent = scripted.server.take();
        assertThat(sent[3]).isEqualTo((byte) server++);
        byte[] decrypted = rsa(Cipher.DECRYPT_MODE, pair.getPrivate(), slice(sent, 4, sent.length));
        assertThat(masked(decrypted)).isEqualTo(PASSWORD);
        scripted.server(packet(server, OK));
        assertThat(scripted.client.take()).isEqualTo(packet(client, OK));
        isTheOtherUser();
    }

    private Key ownKey(int sequence) throws GeneralSecurityException {
        byte[] given = scripted.client.take();
        assertThat(slice(given, 3, 5)).isEqualTo(of(sequence, 1));
        String text = new String(given, 5, given.length - 5, StandardCharsets.US_ASCII);
        byte[] key = Base64.getMimeDecoder().decode(text.replaceAll("-----[A-Z ]+-----", ""));
        return KeyFactory.getInstance("RSA").generatePublic(new X509EncodedKeySpec(key));
    }

    @ParameterizedTest
    @ValueSource(strings = {CACHING, SHA256})
    void anEncryptedPasswordIsDecryptedForASecureServer(String method) throws Exception {
        login(false);
        boolean caching = method.equals(CACHING);
        byte[] command = changeUser(method, caching ? new byte[32] : of(1));
        scripted.client(command);
        assertThat(scripted.server.take()).isEqualTo(caching ? command : changeUser("", of()));
        scripted.server(packet(1, switchTo(method)));
        assertThat(scripted.client.take()).isEqualTo(packet(1, switchTo(method)));
        int client = 2;
        int server = 2;
        if (caching) {
            scripted.client(packet(client++, new byte[32]));
            assertThat(scripted.server.take()).isEqualTo(packet(server++, new byte[32]));
            scripted.server(packet(server++, of(1, 4)));
            assertThat(scripted.client.take()).isEqualTo(packet(client++, of(1, 4)));
        }
        scripted.client(packet(client++, of(caching ? 2 : 1)));
        assertThat(scripted.server.take()).isEmpty();
        Key key = ownKey(client++);
        scripted.client(packet(client++, rsa(Cipher.ENCRYPT_MODE, key, masked(PASSWORD))));
        assertThat(scripted.server.take()).isEqualTo(packet(server++, PASSWORD));
        scripted.server(packet(server, OK));
        assertThat(scripted.client.take()).isEqualTo(packet(client, OK));
        isTheOtherUser();
    }

    @Test
    void responsesToEarlierCommandsAreNotAuthenticationPackets() {
        login(true);
        byte[] command = changeUser(CACHING, new byte[32]);
        scripted.client(PING, PING, command);
        assertThat(scripted.server.take()).isEqualTo(concat(PING, PING, command));
        byte[] fast = concat(packet(1, OK), packet(1, OK), packet(1, switchTo(CACHING)));
        scripted.server(fast);
        assertThat(scripted.client.take()).isEqualTo(fast);
        scripted.client(packet(2, new byte[32]));
        scripted.server(packet(3, of(1, 3)), packet(4, OK));
        assertThat(scripted.client.take()).isEqualTo(concat(packet(3, of(1, 3)), packet(4, OK)));
        scripted.server.take();
        isTheOtherUser();
    }

    @Test
    void theExchangeMayBeCutAnywhere() throws Exception {
        login(true);
        for (byte one : changeUser(CACHING, new byte[32])) {
            scripted.client(of(one));
        }
        for (byte one : packet(1, switchTo(CACHING))) {
            scripted.server(of(one));
        }
        for (byte one : packet(2, new byte[0])) {
            scripted.client(of(one));
        }
        scripted.server.take();
        scripted.client.take();
        for (byte one : packet(3, OK)) {
            scripted.server(of(one));
        }
        assertThat(scripted.client.take()).isEqualTo(packet(3, OK));
        isTheOtherUser();
    }

    /** Every 256th packet of a file has the number 0, too, and this one looks like a COM_CHANGE_USER. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFileIsNoCommand(boolean refused) {
        login(true);
        scripted.client(Bytes.command(CommandCode.QUERY, "LOAD DATA LOCAL INFILE 'f' INTO TABLE t"));
        scripted.server(packet(1, concat(of(0xFB), text("f"))));
        scripted.server.take();
        byte[] command = changeUser(SHA256, PASSWORD);
        byte[] part = slice(command, 4, command.length);
        for (int number = 2; number < 260; number++) {
            if (number == 3 && refused) {
                scripted.server(packet(3, err(1290, "read-only")));
            }
            scripted.client(packet(number & 0xFF, part));
            assertThat(scripted.server.take()).as("packet %s", number).isEqualTo(packet(number & 0xFF, part));
        }
        scripted.client(packet(4, new byte[0]));
        if (!refused) {
            scripted.server(packet(5, OK));
        }
        scripted.server.take();
        scripted.client.take();
        scripted.client(PING);
        assertThat(scripted.server.take()).isEqualTo(PING);
        scripted.server(packet(1, OK));
        scripted.finish();
    }

    @Test
    void theServersRefusalHasTheClientsSequenceNumber() {
        login(true);
        scripted.client(changeUser(SHA256, PASSWORD));
        assertThat(new String(scripted.server.take(), StandardCharsets.US_ASCII))
                .doesNotContain("secret");
        scripted.server(packet(1, err(1045, "Access denied")));
        assertThat(scripted.client.take()).isEqualTo(packet(1, err(1045, "Access denied")));
        assertThat(scripted.model().user()).isEqualTo("app");
        scripted.finish();
    }

    @Test
    void aPasswordUnderAnotherKeyIsRefusedWithTheRightSequenceNumber() {
        login(false);
        scripted.client(changeUser(CACHING, new byte[32]));
        scripted.server(packet(1, switchTo(CACHING)));
        scripted.client(packet(2, new byte[32]));
        scripted.server(packet(3, of(1, 4)));
        scripted.client.take();
        scripted.client(packet(4, new byte[256]));
        byte[] refusal = scripted.client.take();
        assertThat(slice(refusal, 3, 7)).isEqualTo(concat(of(5, 0xFF), int2(1045)));
        assertThat(scripted.closed("refused_by_proxy")).isEqualTo(1);
        scripted.finish();
    }

    @Test
    void packetsOutOfOrderEndTheSession() {
        login(false);
        scripted.client(changeUser(CACHING, new byte[32]));
        scripted.server(packet(1, switchTo(CACHING)));
        scripted.client(packet(7, shortString("lost")));
        assertThat(scripted.closed("client_malformed")).isEqualTo(1);
        scripted.finish();
    }
}
