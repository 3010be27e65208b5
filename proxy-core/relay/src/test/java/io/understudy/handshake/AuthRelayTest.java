package io.understudy.handshake;

import static io.understudy.testkit.Bytes.concat;
import static io.understudy.testkit.Bytes.err;
import static io.understudy.testkit.Bytes.int2;
import static io.understudy.testkit.Bytes.of;
import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.packet;
import static io.understudy.testkit.Bytes.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The exchanges of all authentication methods of both products, at login and in COM_CHANGE_USER. Every byte is relayed
 * unchanged, cut in two at every offset, and ending with OK or ERR.
 *
 * <p>Sources: MySQL source documentation, "Authentication Methods" and "Multi-factor authentication"; MariaDB knowledge
 * base, "Authentication Plugin - ed25519", "- PARSEC" and "- PAM".
 */
@ExtendWith(LeakCheck.class)
class AuthRelayTest {
    private static final String SALT = "ABCDEFGHIJKLMNOPQRST";

    /** @param turns the packets of server and client in turn, the server's first */
    private record Dialogue(String name, List<byte[]> turns) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Dialogue dialogue(String name, byte[]... turns) {
        return new Dialogue(name, List.of(turns));
    }

    private static byte[] request(int marker, String plugin, byte[] data) {
        return concat(of(marker), text(plugin + "\0"), data);
    }

    private static byte[] change(String plugin) {
        return request(0xFE, plugin, text(SALT + "\0"));
    }

    private static byte[] bytes(int length) {
        byte[] out = new byte[length];
        for (int i = 0; i < length; i++) {
            out[i] = (byte) (i * 37 + length);
        }
        return out;
    }

    static Stream<Dialogue> dialogues() {
        return Stream.of(
                dialogue("none: the first word was enough"),
                dialogue("mysql_native_password", change("mysql_native_password"), bytes(20)),
                dialogue("an account without a password", change("mysql_native_password"), of()),
                dialogue("mysql_old_password", of(0xFE), text("12345678\0")),
                dialogue(
                        "caching_sha2_password from the cache",
                        change("caching_sha2_password"),
                        bytes(32),
                        of(1, 3)), // the server's verdict follows at once
                dialogue(
                        "caching_sha2_password in full",
                        change("caching_sha2_password"),
                        bytes(32),
                        of(1, 4),
                        of(2),
                        concat(of(1), text("-----BEGIN PUBLIC KEY-----")),
                        bytes(256)),
                dialogue(
                        "sha256_password",
                        change("sha256_password"),
                        of(1),
                        concat(of(1), text("-----BEGIN PUBLIC KEY-----")),
                        bytes(256)),
                dialogue("client_ed25519", request(0xFE, "client_ed25519", bytes(32)), bytes(64)),
                dialogue(
                        "parsec",
                        change("parsec"),
                        of(), // requests the account's salt
                        concat(of(1), text("P"), of(0), bytes(18)),
                        bytes(96)),
                dialogue(
                        "dialog (PAM)",
                        request(0xFE, "dialog", text("\4Password: ")),
                        text("first\0"),
                        concat(of(1), text("\2One-time code: ")),
                        text("123456\0"),
                        concat(of(1), text("\3And a last one: ")),
                        text("x\0")),
                dialogue("mysql_clear_password", request(0xFE, "mysql_clear_password", of(0)), text("in clear\0")),
                dialogue("auth_gssapi_client", request(0xFE, "auth_gssapi_client", text("host/name\0")), bytes(3000)),
                dialogue(
                        "three factors",
                        change("caching_sha2_password"),
                        bytes(32),
                        request(2, "mysql_clear_password", of(0)),
                        text("second\0"),
                        request(2, "authentication_webauthn_client", bytes(90)),
                        bytes(500)),
                dialogue("switched twice", change("sha256_password"), of(0), change("client_ed25519"), bytes(64)));
    }

    private static void each(Scripted scripted, boolean server, byte[] packet, int cut) {
        byte[] first = Bytes.slice(packet, 0, Math.min(cut, packet.length));
        byte[] second = Bytes.slice(packet, first.length, packet.length);
        for (byte[] part : List.of(first, second)) {
            if (part.length > 0 && server) {
                scripted.server(part);
            } else if (part.length > 0) {
                scripted.client(part);
            }
        }
    }

    /** Plays the turns and checks that the output equals the input. Returns the next sequence number. */
    private static int play(Scripted scripted, Dialogue dialogue, int first, int cut) {
        int number = first;
        boolean server = true;
        for (byte[] turn : dialogue.turns()) {
            byte[] packet = packet(number++, turn);
            each(scripted, server, packet, cut);
            assertThat((server ? scripted.client : scripted.server).take())
                    .as("%s, packet %d, cut at %d", dialogue, number - 1, cut)
                    .isEqualTo(packet);
            server = !server;
        }
        return number;
    }

    private static final List<Integer> CUTS = List.of(1, 3, 4, 5, 6, 17, 5000);

    @ParameterizedTest
    @MethodSource("dialogues")
    void everyMethodIsRelayedAtLogin(Dialogue dialogue) {
        for (int cut : CUTS) {
            for (boolean accepted : new boolean[] {true, false}) {
                Scripted scripted = new Scripted(Memory.heap());
                scripted.connectServer();
                scripted.server(packet(0, Scripted.handshakeV10(Scripted.CLASSIC, "8.4.0")));
                scripted.client(packet(1, Scripted.handshakeResponse(Scripted.CLASSIC, "app", null)));
                scripted.client.take();
                scripted.server.take();
                int number = play(scripted, dialogue, 2, cut);
                byte[] verdict = packet(number, accepted ? ok(0, ServerStatus.AUTOCOMMIT) : err(1045, "Access denied"));
                each(scripted, true, verdict, cut);
                assertThat(scripted.client.take()).isEqualTo(verdict);
                assertThat(scripted.session.loggedIn()).isEqualTo(accepted);
                scripted.finish();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dialogues")
    void everyMethodIsRelayedInChangeUser(Dialogue dialogue) {
        byte[] command = Bytes.command(
                CommandCode.CHANGE_USER,
                concat(text("other\0"), of(20), bytes(20), text("shop\0"), int2(45), text("mysql_native_password\0")));
        for (int cut : CUTS) {
            for (boolean accepted : new boolean[] {true, false}) {
                Scripted scripted = new Scripted(Memory.heap()).loggedIn(Scripted.CLASSIC);
                each(scripted, false, command, cut);
                assertThat(scripted.server.take()).isEqualTo(command);
                int number = play(scripted, dialogue, 1, cut);
                byte[] verdict = packet(number, accepted ? ok(0, ServerStatus.AUTOCOMMIT) : err(1045, "Access denied"));
                each(scripted, true, verdict, cut);
                assertThat(scripted.client.take()).isEqualTo(verdict);
                assertThat(scripted.model().user()).isEqualTo(accepted ? "other" : "app");
                byte[] ping = Bytes.command(CommandCode.PING, "");
                scripted.client(ping);
                assertThat(scripted.server.take()).isEqualTo(ping);
                scripted.finish();
            }
        }
    }
}
