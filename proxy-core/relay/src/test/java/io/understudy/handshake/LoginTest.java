package io.understudy.handshake;

import static io.understudy.testkit.Bytes.concat;
import static io.understudy.testkit.Bytes.err;
import static io.understudy.testkit.Bytes.of;
import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.packet;
import static io.understudy.testkit.Bytes.shortString;
import static io.understudy.testkit.Bytes.slice;
import static io.understudy.testkit.Bytes.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.CommandCode;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.FakeLeg;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.packet.ErrPacket;
import io.understudy.wire.packet.HandshakeResponse41;
import io.understudy.wire.packet.HandshakeV10;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(LeakCheck.class)
class LoginTest {
    private static final long MARIA = Scripted.CLASSIC & ~Capabilities.LONG_PASSWORD;
    private static final byte[] HANDSHAKE_V10 = packet(0, Scripted.handshakeV10(Scripted.CLASSIC, "8.4.0"));
    private static final byte[] HANDSHAKE_RESPONSE =
            packet(1, Scripted.handshakeResponse(Scripted.CLASSIC, "app", null));

    private final Watcher watcher = new Watcher(Watcher.ALL);
    private final Scripted scripted = new Scripted(Memory.direct(), watcher);

    @AfterEach
    void nothingIsKept() {
        scripted.finish();
    }

    private void greeted() {
        scripted.connectServer();
        scripted.server(HANDSHAKE_V10);
        assertThat(scripted.client.take()).isEqualTo(HANDSHAKE_V10);
    }

    private void handshakeResponded() {
        greeted();
        scripted.client(HANDSHAKE_RESPONSE);
        assertThat(scripted.server.take()).isEqualTo(HANDSHAKE_RESPONSE);
    }

    private ErrPacket toldClient(int sequence) {
        byte[] sent = scripted.client.take();
        assertThat(sent).isNotEmpty();
        assertThat(sent[3]).isEqualTo((byte) sequence);
        assertThat(sent[4]).isEqualTo((byte) 0xFF);
        return ErrPacket.parse(Bytes.unpooled(sent), 4, sent.length - 4);
    }

    @Test
    void aLoginSentByteByByteSucceeds() {
        scripted.connectServer();
        for (byte one : HANDSHAKE_V10) {
            scripted.server(of(one));
        }
        for (byte one : HANDSHAKE_RESPONSE) {
            scripted.client(of(one));
        }
        for (byte one : packet(2, ok(0, 2))) {
            scripted.server(of(one));
        }
        assertThat(scripted.session.loggedIn()).isTrue();
        assertThat(scripted.server.take()).isEqualTo(HANDSHAKE_RESPONSE);
        assertThat(scripted.client.take()).isEqualTo(concat(HANDSHAKE_V10, packet(2, ok(0, 2))));
        assertThat(scripted.model().user()).isEqualTo("app");
        assertThat(scripted.model().serverThreadId()).isEqualTo(4711);
        assertThat(watcher.interestCalls()).isEqualTo(1);
    }

    /** MariaDB 11.5 and newer; its connectors would leave for the address. */
    @Test
    void anAddressThatLeadsPastTheProxyIsRemovedAtLoginAndAtAChangeOfUser() {
        long capabilities = MARIA | Capabilities.SESSION_TRACK;
        scripted.connectServer();
        scripted.server(packet(0, Scripted.handshakeV10(capabilities, "11.8.9-MariaDB")));
        scripted.client(packet(1, Scripted.handshakeResponse(capabilities, "app", null)));
        scripted.client.take();
        byte[] autocommit = variable("autocommit", "ON");
        scripted.server(packet(2, okWith(concat(variable("redirect_url", "mysql://127.0.0.1:3999"), autocommit))));
        assertThat(scripted.client.take()).isEqualTo(packet(2, okWith(autocommit)));
        assertThat(scripted.session.loggedIn()).isTrue();
        assertThat(removed()).isEqualTo(1);

        scripted.client(packet(0, concat(of(0x11), text("other"), of(0, 0, 0), of(45, 0))));
        scripted.server(packet(1, okWith(concat(autocommit, variable("redirect_url", "mysql://127.0.0.1:3999")))));
        assertThat(scripted.client.take()).isEqualTo(packet(1, okWith(autocommit)));
        assertThat(removed()).isEqualTo(2);
    }

    /** The proxy tracks the session for a client that does not. */
    @Test
    void nothingIsKeptOfAnOkPacketWhoseSessionStateIsCut() {
        Memory memory = Memory.direct();
        FakeLeg client = new FakeLeg(memory.alloc());
        FakeLeg server = new FakeLeg(memory.alloc());
        Handshake handshake = new Handshake(client, server, LoginPolicy.PLAIN, true, new Handshake.Outcome() {
            @Override
            public void loggedIn(LoginResult login) {}

            @Override
            public void refusedByServer(ErrPacket err) {}
        });
        byte[] greeting = Scripted.handshakeV10(Scripted.CLASSIC | Capabilities.SESSION_TRACK, "8.4.0");
        handshake.fromServer(Bytes.buffer(memory.alloc(), packet(0, greeting)));
        handshake.fromClient(Bytes.buffer(memory.alloc(), HANDSHAKE_RESPONSE));
        ByteBuf cut = Bytes.buffer(memory.alloc(), packet(2, of(0, 0, 0, 2, 0x40, 0, 0, 0, 99)));
        assertThatThrownBy(() -> handshake.fromServer(cut)).isInstanceOf(MalformedPacketException.class);
        handshake.close();
        memory.assertAllReturned();
    }

    private double removed() {
        return scripted.meters.get("understudy.redirects.removed").counter().count();
    }

    private static byte[] variable(String name, String value) {
        byte[] pair = concat(shortString(name), shortString(value));
        return concat(of(0, pair.length), pair);
    }

    private static byte[] okWith(byte[] entries) {
        return concat(of(0, 0, 0, 2, 0x40, 0, 0, 0, entries.length), entries);
    }

    @Test
    void aLoginWithFurtherPacketsIsRelayed() {
        handshakeResponded();
        byte[][] fromServer = {text("\u00fecaching"), of(1, 4), of(1, 65), of(1, 3)};
        byte[][] fromClient = {text("hash"), of(2), text("secret")};
        int number = 2;
        for (int i = 0; i < fromServer.length; i++) {
            scripted.server(packet(number, fromServer[i]));
            assertThat(scripted.client.take()).isEqualTo(packet(number++, fromServer[i]));
            if (i < fromClient.length) {
                scripted.client(packet(number, fromClient[i]));
                assertThat(scripted.server.take()).isEqualTo(packet(number++, fromClient[i]));
            }
        }
        scripted.server(packet(number, ok(0, 2)));
        assertThat(scripted.session.loggedIn()).isTrue();
    }

    @Test
    void anErrorInPlaceOfTheHandshakePacketReachesTheClient() {
        scripted.connectServer();
        byte[] refusal = packet(0, concat(of(0xFF, 16, 4), text("Too many connections")));
        scripted.server(refusal);
        assertThat(scripted.client.take()).isEqualTo(refusal);
        assertThat(scripted.closed("refused_by_server")).isEqualTo(1);
    }

    @Test
    void anErrorAfterTheHandshakeResponseReachesTheClient() {
        handshakeResponded();
        scripted.server(packet(2, err(1045, "denied")));
        assertThat(scripted.client.take()).isEqualTo(packet(2, err(1045, "denied")));
        assertThat(scripted.closed("refused_by_server")).isEqualTo(1);
    }

    @Test
    void anErrorBeforeTheHandshakeResponseReachesTheClient() {
        greeted();
        scripted.server(packet(1, err(1159, "timeout")));
        assertThat(scripted.client.take()).isEqualTo(packet(1, err(1159, "timeout")));
        assertThat(scripted.closed("refused_by_server")).isEqualTo(1);
    }

    @Test
    void unsupportedCapabilitiesAreOfferedToNeitherSide() {
        long unknown = 1L << 45;
        long extended = Capabilities.MARIADB_CACHE_METADATA | Capabilities.MARIADB_PROGRESS;
        long all =
                MARIA | Capabilities.COMPRESS | Capabilities.SSL | extended | Capabilities.MARIADB_COM_MULTI | unknown;
        scripted.connectServer();
        byte[] sent = Scripted.handshakeV10(all, "11.4.2-MariaDB");
        scripted.server(packet(0, sent));
        byte[] offered = scripted.client.take();
        assertThat(offered).hasSize(sent.length + 4);
        HandshakeV10 before = HandshakeV10.parse(Bytes.unpooled(sent));
        HandshakeV10 after = HandshakeV10.parse(Bytes.unpooled(slice(offered, 4, offered.length)));
        assertThat(before.capabilities()).isEqualTo(all);
        assertThat(after.capabilities()).isEqualTo(MARIA | extended);
        assertThat(after.scramble()).isEqualTo(before.scramble()).isEqualTo(text("12345678abcdefghijkl"));
        assertThat(after.authPlugin()).isEqualTo("mysql_native_password");

        // The client sets bits that neither side offered, including unknown ones.
        long own = Capabilities.REMEMBER_OPTIONS;
        scripted.client(packet(1, Scripted.handshakeResponse(all | own | Capabilities.ZSTD_COMPRESSION, "app", null)));
        byte[] passed = scripted.server.take();
        assertThat(HandshakeResponse41.parse(Bytes.unpooled(slice(passed, 4, passed.length)))
                        .capabilities())
                .isEqualTo(MARIA | extended | own);
        scripted.server(packet(2, ok(0, 2)));
        assertThat(scripted.model().capabilities()).isEqualTo(MARIA | extended);
    }

    @Test
    void commandsSentBeforeTheServersOkAreRelayedAfterIt() {
        greeted();
        byte[] early =
                concat(Bytes.command(CommandCode.QUERY, "SELECT 1"), Bytes.command(CommandCode.PING, ""), of(1, 0));
        scripted.client(HANDSHAKE_RESPONSE, early);
        assertThat(scripted.server.take()).isEqualTo(HANDSHAKE_RESPONSE);
        assertThat(scripted.client.reading()).isFalse();
        scripted.server(packet(2, ok(0, 2)));
        assertThat(scripted.client.reading()).isTrue();
        assertThat(scripted.server.take()).isEqualTo(slice(early, 0, early.length - 2));
        assertThat(scripted.model().inFlight().size()).isEqualTo(2);
        assertThat(watcher.commands).containsExactly(CommandCode.QUERY, CommandCode.PING);
    }

    @Test
    void bytesAfterTheServersOkAreRelayed() {
        handshakeResponded();
        byte[] both = concat(packet(2, ok(0, 2)), packet(0, err(1152, "aborted")));
        scripted.server(both);
        assertThat(scripted.client.take()).isEqualTo(both);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 31, 40})
    void aTruncatedHandshakeResponseIsRefused(int length) {
        greeted();
        scripted.client(packet(1, slice(Scripted.handshakeResponse(Scripted.CLASSIC, "appappapp", null), 0, length)));
        assertThat(toldClient(2).code()).isEqualTo(1043);
        assertThat(scripted.server.take()).isEmpty();
        assertThat(scripted.closed("client_malformed")).isEqualTo(1);
    }

    @Test
    void anSslRequestThatWasNotOfferedIsRefused() {
        greeted();
        scripted.client(packet(
                1, slice(Scripted.handshakeResponse(Scripted.CLASSIC | Capabilities.SSL, "", null), 0, 32)));
        assertThat(toldClient(2).message()).contains("TLS");
        assertThat(scripted.closed("client_malformed")).isEqualTo(1);
    }

    @Test
    void aMalformedHandshakePacketIsReportedToTheClient() {
        scripted.connectServer();
        scripted.server(packet(0, of(9, 1, 2)));
        ErrPacket err = toldClient(0);
        assertThat(err.code()).isEqualTo(1043);
        assertThat(scripted.closed("server_malformed")).isEqualTo(1);
    }

    @Test
    void aTruncatedOkIsReportedToTheClient() {
        handshakeResponded();
        scripted.server(packet(2, of(0, 0xFC, 1, 0xFC, 1, 1, 1)));
        assertThat(toldClient(2).code()).isEqualTo(1043);
        assertThat(scripted.closed("server_malformed")).isEqualTo(1);
    }

    @Test
    void oversizedAndMisnumberedPacketsAreRefused() {
        greeted();
        scripted.client(of(1, 0, 3, 1));
        assertThat(toldClient(1).message()).contains("at most");
        assertThat(scripted.closed("client_malformed")).isEqualTo(1);
    }

    @Test
    void aWrongSequenceNumberIsRefused() {
        greeted();
        byte[] wrong = HANDSHAKE_RESPONSE.clone();
        wrong[3] = 5;
        scripted.client(wrong);
        assertThat(toldClient(1).message()).contains("number 5", "1 was due");
    }

    @Test
    void malformedBytesBeforeTheHandshakePacketAreRefusedAfterIt() {
        scripted.connectServer();
        scripted.client(packet(0, text("GET / HTTP/1.1")));
        assertThat(scripted.client.reading())
                .as("read on ahead of the handshake packet")
                .isFalse();
        scripted.server(HANDSHAKE_V10);
        assertThat(scripted.client.take()).startsWith(HANDSHAKE_V10);
        assertThat(scripted.closed("client_malformed")).isEqualTo(1);
    }

    @Test
    void aLoginBeforeTheHandshakePacketIsHeldUntilIt() {
        scripted.session.fromClient(Bytes.buffer(scripted.memory.alloc(), Bytes.slice(HANDSHAKE_RESPONSE, 0, 7)));
        scripted.connectServer();
        scripted.client(Bytes.slice(HANDSHAKE_RESPONSE, 7, HANDSHAKE_RESPONSE.length));
        assertThat(scripted.server.take()).isEmpty();
        scripted.server(HANDSHAKE_V10);
        assertThat(scripted.client.take()).isEqualTo(HANDSHAKE_V10);
        assertThat(scripted.server.take()).isEqualTo(HANDSHAKE_RESPONSE);
        assertThat(scripted.client.reading()).isTrue();
        scripted.server(packet(2, ok(0, 2)));
        assertThat(scripted.session.loggedIn()).isTrue();
    }

    @Test
    void aSlowLoginEndsAtTheTimeout() {
        scripted.session.handshakeTimedOut();
        byte[] sent = scripted.client.take();
        assertThat(sent[3]).isZero();
        assertThat(sent[7])
                .as("a SQLSTATE, which drivers read before any handshake packet too")
                .isEqualTo((byte) '#');
        assertThat(scripted.closed("handshake_timeout")).isEqualTo(1);
    }
}
