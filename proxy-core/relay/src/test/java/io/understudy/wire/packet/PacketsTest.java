package io.understudy.wire.packet;

import static io.understudy.testkit.Bytes.concat;
import static io.understudy.testkit.Bytes.int2;
import static io.understudy.testkit.Bytes.of;
import static io.understudy.testkit.Bytes.shortString;
import static io.understudy.testkit.Bytes.slice;
import static io.understudy.testkit.Bytes.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.session.Scripted;
import io.understudy.wire.MalformedPacketException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Parses whole packets. Packets cut off anywhere are either parsed or refused. */
class PacketsTest {
    private static void cutAnywhere(byte[] payload, Consumer<ByteBuf> parse) {
        for (int length = 0; length < payload.length; length++) {
            ByteBuf part = Bytes.unpooled(slice(payload, 0, length));
            try {
                parse.accept(part);
            } catch (MalformedPacketException expected) {
                assertThat(expected.getMessage()).isNotEmpty();
            }
        }
    }

    @Test
    void ok() {
        byte[] state = concat(
                of(0),
                shortString2(shortString("last_gtid"), shortString("0-1-42")),
                of(1),
                shortString2(shortString("db"), of()),
                of(2),
                shortString2(shortString("1"), of()),
                of(3),
                shortString2(of(0), shortString("uuid:5")),
                of(99, 2, 7, 7));
        byte[] payload = concat(
                of(0, 0xFC, 44, 1, 7),
                int2(ServerStatus.SESSION_STATE_CHANGED),
                int2(3),
                shortString("info"),
                of(state.length),
                state);
        OkPacket ok = new OkPacket();
        ok.parse(Bytes.unpooled(payload), 0, payload.length, Capabilities.SESSION_TRACK);
        assertThat(ok.affectedRows()).isEqualTo(300);
        assertThat(ok.infoLength()).isEqualTo(4);
        List<String> seen = new ArrayList<>();
        SessionState.Visitor visitor = new SessionState.Visitor() {
            @Override
            public void variable(String name, String value) {
                seen.add(name + "=" + value);
            }

            @Override
            public void schema(String name) {
                seen.add("schema " + name);
            }

            @Override
            public void gtids(String gtids) {
                seen.add("gtids " + gtids);
            }
        };
        SessionState.visit(Bytes.unpooled(payload), ok.stateAt(), ok.stateLength(), visitor);
        assertThat(seen).containsExactly("last_gtid=0-1-42", "schema db", "gtids uuid:5");
        cutAnywhere(payload, buf -> ok.parse(buf, 0, buf.readableBytes(), Capabilities.SESSION_TRACK));
        cutAnywhere(state, buf -> SessionState.visit(buf, 0, buf.readableBytes(), visitor));
        ok.parse(Bytes.unpooled(payload), 0, payload.length, 0);
        assertThat(ok.stateLength()).isZero();
    }

    private static byte[] shortString2(byte[] first, byte[] second) {
        return concat(of(first.length + second.length), first, second);
    }

    @Test
    void err() {
        for (boolean protocol41 : new boolean[] {true, false}) {
            ErrPacket err = new ErrPacket(1040, protocol41 ? "08004" : "HY000", "Too many");
            ByteBuf packet = err.encode(ByteBufAllocator.DEFAULT, 3, protocol41);
            assertThat(packet.getByte(3)).isEqualTo((byte) 3);
            assertThat(ErrPacket.parse(packet, 4, packet.readableBytes() - 4)).isEqualTo(err);
            packet.release();
        }
        byte[] payload = Bytes.err(1064, "syntax");
        for (int length = 0; length <= payload.length; length++) {
            ErrPacket err = ErrPacket.parse(Bytes.unpooled(slice(payload, 0, length)), 0, length);
            assertThat(err.code()).isEqualTo(length < 3 ? 0 : 1064);
        }
    }

    @Test
    void onlyMariaDbFromElevenThreeOnMayRedirect() {
        assertThat(List.of("5.5.5-10.6.18-MariaDB-log", "10.11.6-MariaDB-0+deb12u1", "11.2.9-MariaDB", "9.7.0"))
                .noneMatch(PacketsTest::mayRedirect);
        assertThat(List.of(
                        "11.3.0-MariaDB",
                        "5.5.5-11.4.2-MariaDB",
                        "11.20.1-MariaDB",
                        "12.0.1-MariaDB",
                        "10.6.19-15-MariaDB-enterprise-log",
                        "5.5.5-10.6.1-MariaDB-MaxScale",
                        "MariaDB"))
                .allMatch(PacketsTest::mayRedirect);
    }

    private static boolean mayRedirect(String version) {
        return HandshakeV10.parse(Bytes.unpooled(Scripted.handshakeV10(Scripted.CLASSIC, version)))
                .mayRedirect();
    }

    @Test
    void handshakeV10() {
        byte[] payload = Scripted.handshakeV10(Scripted.CLASSIC, "8.4.0");
        HandshakeV10 handshakeV10 = HandshakeV10.parse(Bytes.unpooled(payload));
        assertThat(handshakeV10.serverVersion()).isEqualTo("8.4.0");
        assertThat(handshakeV10.threadId()).isEqualTo(4711);
        assertThat(handshakeV10.isMariaDb()).isFalse();
        assertThat(handshakeV10.toString()).doesNotContain("12345678");
        cutAnywhere(payload, HandshakeV10::parse);
        cutAnywhere(payload, buf -> {
            HandshakeV10.parse(buf);
            HandshakeV10.withCapabilities(buf, 0);
        });
        assertThatThrownBy(() -> HandshakeV10.parse(Bytes.unpooled(of(10, 'x'))))
                .isInstanceOf(MalformedPacketException.class);
    }

    @Test
    void handshakeResponse() {
        long capabilities = Scripted.CLASSIC | Capabilities.CONNECT_WITH_DB;
        byte[] payload = Scripted.handshakeResponse(capabilities, "app", "shop");
        HandshakeResponse41 handshakeResponse = HandshakeResponse41.parse(Bytes.unpooled(payload));
        assertThat(handshakeResponse)
                .isEqualTo(new HandshakeResponse41(
                        capabilities, 1 << 24, 45, "app", "shop", "mysql_native_password", false));
        cutAnywhere(payload, HandshakeResponse41::parse);
        assertThat(HandshakeResponse41.parse(Bytes.unpooled(slice(payload, 0, 32)))
                        .isTlsRequest())
                .isTrue();
        byte[] old = payload.clone();
        old[1] &= ~2;
        assertThatThrownBy(() -> HandshakeResponse41.parse(Bytes.unpooled(old))).hasMessageContaining("4.1");
        byte[] lenenc = concat(
                slice(
                        Scripted.handshakeResponse(capabilities | Capabilities.PLUGIN_AUTH_LENENC_DATA, "u", null),
                        0,
                        34),
                of(0xFC, 4, 1),
                new byte[260],
                text("db\0plugin"));
        assertThat(HandshakeResponse41.parse(Bytes.unpooled(lenenc)).schema()).isEqualTo("db");
        cutAnywhere(lenenc, HandshakeResponse41::parse);
    }
}
