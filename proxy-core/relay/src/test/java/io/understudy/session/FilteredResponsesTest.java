package io.understudy.session;

import static io.understudy.testkit.Bytes.concat;
import static io.understudy.testkit.Bytes.definition;
import static io.understudy.testkit.Bytes.of;
import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.packet;
import static io.understudy.testkit.Bytes.shortString;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.understudy.command.GtidTracking;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.wire.Marker;
import io.understudy.wire.PacketScanner;
import io.understudy.wire.PacketSink;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Checks what a client without session tracking receives, and in how many buffers. */
@ExtendWith(LeakCheck.class)
class FilteredResponsesTest {
    private static final int AC = ServerStatus.AUTOCOMMIT;
    /** An OK packet for one row with MariaDB's {@code last_gtid} 0-1-10. */
    private static final byte[] OK_WITH_GTID =
            ByteBufUtil.decodeHexDump("00010002400000" + "0013" + "0011096c6173745f6774696406302d312d3130");

    private int redirects;
    private final Memory memory = Memory.direct();
    private final List<ByteBuf> forwarded = new ArrayList<>();

    private final PacketSink client = new PacketSink() {
        @Override
        public int onPacket(int length, int sequence, int first) {
            return first == Marker.OK || first == Marker.EOF ? OK_PACKET | length : 0;
        }

        @Override
        public boolean onShown(ByteBuf buf, int index, int length) {
            return true;
        }

        @Override
        public void onEnd() {}

        @Override
        public void forward(ByteBuf bytes) {
            forwarded.add(bytes);
        }
    };

    private byte[] scan(byte[]... reads) {
        return scan(false, reads);
    }

    private byte[] scan(boolean clientTracks, byte[]... reads) {
        OkPacketFilter filter = OkPacketFilter.of(
                Capabilities.SESSION_TRACK, clientTracks, true, GtidTracking.off(), memory.alloc(), () -> redirects++);
        if (filter == null) {
            throw new AssertionError("nothing is filtered");
        }
        PacketScanner scanner = new PacketScanner(new FilteredResponses(client, filter), memory.alloc());
        for (byte[] read : reads) {
            scanner.scan(Bytes.buffer(memory.alloc(), read));
        }
        scanner.close();
        return concat(forwarded.stream().map(Bytes::read).toArray(byte[][]::new));
    }

    @AfterEach
    void release() {
        forwarded.forEach(ByteBuf::release);
        memory.assertAllReturned();
    }

    @Test
    void aResultEndingInABareOkIsForwardedInOneBuffer() {
        byte[] result = concat(
                packet(1, of(1)),
                packet(2, definition("a")),
                packet(3, shortString("v")),
                packet(4, ok(0xFE, 0, AC, 0)));
        assertThat(scan(result)).isEqualTo(result);
        assertThat(forwarded).hasSize(1);
    }

    /** As MariaDB 11.8 reports SET SESSION redirect_url, beside autocommit. */
    @Test
    void anAddressThatLeadsPastTheProxyIsRemovedHoweverThePacketIsCut() {
        byte[] url = shortString("mysql://127.0.0.1:3999");
        byte[] redirect = state(concat(shortString("redirect_url"), url));
        byte[] autocommit = state(concat(shortString("autocommit"), shortString("ON")));
        byte[] none = state(concat(shortString("redirect_url"), of(0)));
        byte[] other = packet(1, ok(0, AC));
        byte[] all = concat(
                other,
                packet(1, okWith(redirect)),
                packet(1, okWith(concat(redirect, autocommit))),
                packet(1, okWith(none)),
                packet(1, okWith(state(concat(shortString("redirect_url"), url, shortString("a"), shortString("b"))))));
        for (int cut = 0; cut < all.length; cut++) {
            redirects = 0;
            assertThat(scan(true, Bytes.slice(all, 0, cut), Bytes.slice(all, cut, all.length)))
                    .as("cut at %d", cut)
                    .isEqualTo(concat(
                            other,
                            packet(1, ok(0, AC)),
                            packet(1, okWith(autocommit)),
                            packet(1, okWith(none)),
                            packet(1, okWith(state(concat(shortString("a"), shortString("b")))))));
            assertThat(redirects).isEqualTo(3);
            release();
            forwarded.clear();
        }
    }

    private static byte[] state(byte[] variables) {
        return concat(of(0, variables.length), variables);
    }

    private static byte[] okWith(byte[] entries) {
        return concat(of(0, 0, 0, AC, 0x40, 0, 0, 0, entries.length), entries);
    }

    @Test
    void sessionStateIsRemovedHoweverThePacketIsCut() {
        byte[] other = packet(1, ok(0, AC));
        byte[] all = concat(other, packet(1, OK_WITH_GTID), other);
        for (int cut = 0; cut < all.length; cut++) {
            assertThat(scan(Bytes.slice(all, 0, cut), Bytes.slice(all, cut, all.length)))
                    .as("cut at %d", cut)
                    .isEqualTo(concat(other, packet(1, ok(1, AC)), other));
            release();
            forwarded.clear();
        }
    }
}
