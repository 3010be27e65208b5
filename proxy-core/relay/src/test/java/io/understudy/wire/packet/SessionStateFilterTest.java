package io.understudy.wire.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.understudy.protocol.Capabilities;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.Packets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The packets are those that MariaDB 11.4 sends with and without CLIENT_SESSION_TRACK. */
class SessionStateFilterTest {
    private static final String INFO =
            "28526f7773206d6174636865643a203120204368616e6765643a203120205761726e696e67733a2030";
    private static final String GTID = "0011096c6173745f6774696406302d312d3130";
    private static final String SCHEMA = "01020164";

    private final SessionStateFilter filter = new SessionStateFilter(Capabilities.SESSION_TRACK);

    private @Nullable String withoutState(String hex) {
        ByteBuf packet = packet(hex);
        return hex(filter.withoutState(packet, Packets.HEADER, packet.readableBytes() - Packets.HEADER, 7));
    }

    private @Nullable String without(String hex, String... variables) {
        ByteBuf packet = packet(hex);
        return hex(filter.without(
                UnpooledByteBufAllocator.DEFAULT,
                packet,
                Packets.HEADER,
                packet.readableBytes() - Packets.HEADER,
                7,
                List.of(variables),
                true));
    }

    private static ByteBuf packet(String payload) {
        return Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump("ffffff03" + payload));
    }

    private static @Nullable String hex(@Nullable ByteBuf packet) {
        if (packet == null) {
            return null;
        }
        try {
            return ByteBufUtil.hexDump(packet);
        } finally {
            packet.release();
        }
    }

    @Test
    void anUnchangedPacketIsForwardedUncopied() {
        assertThat(withoutState("00000002000000")).isNull();
        assertThat(withoutState("00010022000000" + INFO)).isNull();
        assertThat(without("00000002400000" + "0004" + SCHEMA, "last_gtid")).isNull();
    }

    @Test
    void sessionStateIsRemovedCompletely() {
        assertThat(withoutState("00000002400000" + "0004" + SCHEMA)).isEqualTo("07000007" + "00000002000000");
        assertThat(withoutState("00010022400000" + INFO + "13" + GTID)).isEqualTo("30000007" + "00010022000000" + INFO);
    }

    @Test
    void theRemainderStaysInTheSameBuffer() {
        ByteBuf packet = packet("00000002400000" + "0013" + GTID);
        ByteBuf out = filter.without(UnpooledByteBufAllocator.DEFAULT, packet, 4, 28, 7, List.of("last_gtid"), false);
        assertThat(out).isNotNull();
        assertThat(out.array()).isSameAs(packet.array());
        assertThat(packet.refCnt())
                .as("references: the caller's and the result's")
                .isEqualTo(2);
        assertThat(hex(out)).isEqualTo("07000007" + "00000002000000");
    }

    @Test
    void onlyAddedVariablesAreRemoved() {
        assertThat(without("00010022400000" + INFO + "13" + GTID, "last_gtid"))
                .isEqualTo("30000007" + "00010022000000" + INFO);
        assertThat(without("00000002400000" + "0017" + GTID + SCHEMA, "last_gtid"))
                .isEqualTo("0d000007" + "00000002400000" + "0004" + SCHEMA);
    }

    @Test
    void otherVariablesOfTheSameEntryStay() {
        String gtid = GTID.substring(4);
        String charset = "0a" + "6175746f636f6d6d6974" + "024f4e"; // autocommit=ON
        String both = "00" + "1f" + charset + gtid;
        assertThat(without("00000002400000" + "0021" + both, "x", "last_gtid"))
                .isEqualTo("19000007" + "00000002400000" + "0010" + "000e" + charset);
        assertThat(without("00000002400000" + "0021" + both, "x")).isNull();
        assertThat(without("00000002400000" + "0025" + both + SCHEMA, "last_gtid", "autocommit"))
                .isEqualTo("0d000007" + "00000002400000" + "0004" + SCHEMA);
    }

    @Test
    void anEntryThatReachesBeyondTheBlockIsRefused() {
        assertThatThrownBy(() -> without("00000002400000" + "0005" + "0012096c61", "last_gtid"))
                .isInstanceOf(MalformedPacketException.class);
        // A name that extends into the entry after its own.
        assertThatThrownBy(() -> without("00000002400000" + "000a" + "0004" + "066c6173" + SCHEMA, "last_gtid"))
                .isInstanceOf(MalformedPacketException.class);
    }

    @Test
    void mysqlsGtidEntriesHaveTheirOwnType() {
        String gtids = "0304" + "00" + "02" + "613a";
        assertThat(without("00000002400000" + "000a" + gtids + SCHEMA))
                .isEqualTo("0d000007" + "00000002400000" + "0004" + SCHEMA);
    }
}
