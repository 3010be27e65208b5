package io.understudy.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.understudy.protocol.Capabilities;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.Packets;
import io.understudy.wire.packet.ErrPacket;
import io.understudy.wire.packet.HandshakeResponse41;
import io.understudy.wire.packet.HandshakeV10;
import io.understudy.wire.packet.OkPacket;
import io.understudy.wire.packet.SessionState;
import io.understudy.wire.packet.SessionStateFilter;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import org.junit.jupiter.api.Test;

/** Every packet is either parsed or reported as malformed; no other exception is thrown. */
class PacketsFuzzTest {
    private static final Corpus HANDSHAKE_V10 = new Corpus("handshakev10");
    private static final Corpus HANDSHAKE_RESPONSES = new Corpus("handshakeresponse");
    private static final Corpus OKS = new Corpus("ok");

    @AfterContainer
    static void nothingLeaked() {
        assertThat(LeakCheck.collect()).isEmpty();
    }

    @Test
    void corpus() {
        Fuzz.corpus(HANDSHAKE_V10, PacketsFuzzTest::handshakeV10);
        Fuzz.corpus(HANDSHAKE_RESPONSES, PacketsFuzzTest::handshakeResponse);
        Fuzz.corpus(OKS, PacketsFuzzTest::ok);
    }

    @Property(shrinking = ShrinkingMode.OFF)
    void handshakePackets(@ForAll long seed) {
        Fuzz.mutation(HANDSHAKE_V10, seed, PacketsFuzzTest::handshakeV10);
    }

    @Property(shrinking = ShrinkingMode.OFF)
    void handshakeResponses(@ForAll long seed) {
        Fuzz.mutation(HANDSHAKE_RESPONSES, seed, PacketsFuzzTest::handshakeResponse);
    }

    @Property(shrinking = ShrinkingMode.OFF)
    void oks(@ForAll long seed) {
        Fuzz.mutation(OKS, seed, PacketsFuzzTest::ok);
    }

    private static void handshakeV10(byte[] input) {
        ByteBuf payload = Bytes.unpooled(input);
        try {
            HandshakeV10 handshakeV10 = HandshakeV10.parse(payload);
            HandshakeV10.withCapabilities(payload, handshakeV10.capabilities());
            assertThat(HandshakeV10.parse(payload).capabilities()).isEqualTo(handshakeV10.capabilities());
        } catch (MalformedPacketException expected) {
            assertThat(expected).hasMessageMatching(".+");
        }
        if (input.length > 0) {
            assertThat(ErrPacket.parse(payload, 0, input.length).message()).isNotNull();
        }
    }

    private static void handshakeResponse(byte[] input) {
        ByteBuf payload = Bytes.unpooled(input);
        try {
            HandshakeResponse41 parsed = HandshakeResponse41.parse(payload);
            if (!parsed.isTlsRequest()) {
                assertThat(HandshakeResponse41.endOfAttributes(payload, parsed.capabilities()))
                        .isBetween(32, input.length);
            }
            HandshakeResponse41.withCapabilities(payload, parsed.capabilities());
            assertThat(HandshakeResponse41.parse(payload).user()).isEqualTo(parsed.user());
        } catch (MalformedPacketException expected) {
            assertThat(expected).hasMessageMatching(".+");
        }
    }

    /** The first byte selects the capabilities. */
    private static void ok(byte[] input) {
        if (input.length == 0) {
            return;
        }
        long capabilities = (input[0] & 1) != 0 ? Capabilities.SESSION_TRACK : 0;
        byte[] bytes = Arrays.copyOfRange(input, 1, input.length);
        Memory memory = Memory.heap();
        ByteBuf packet = Bytes.buffer(memory.alloc(), Bytes.packet(0, bytes));
        ByteBuf another = packet.copy();
        try {
            OkPacket ok = new OkPacket();
            ok.parse(packet, Packets.HEADER, bytes.length, capabilities);
            if (ok.stateLength() > 0) {
                SessionState.visit(packet, ok.stateAt(), ok.stateLength(), new SessionState.Visitor() {});
            }
            SessionStateFilter filter = new SessionStateFilter(capabilities);
            release(filter.without(
                    memory.alloc(), packet, Packets.HEADER, bytes.length, 1, List.of("last_gtid"), true));
            release(filter.withoutState(another, Packets.HEADER, bytes.length, 1));
        } catch (MalformedPacketException expected) {
            assertThat(expected).hasMessageMatching(".+");
        } finally {
            packet.release();
            another.release();
        }
        memory.assertAllReturned();
    }

    private static void release(@org.jspecify.annotations.Nullable ByteBuf packet) {
        if (packet != null) {
            packet.release();
        }
    }
}
