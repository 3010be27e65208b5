package io.understudy.plugins.binlog;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The two bytes before an event, and where it ends. */
class SemiSyncPacketsTest {
    private static final int WHOLE = 0xFF_FFFF;

    private final SemiSyncPackets packets = new SemiSyncPackets();

    /** @param second the event's first bytes, as its time */
    private static ByteBuf event(int type, long second, long end, byte[] body) {
        int length = EventHeader.LENGTH + body.length;
        ByteBuf event = Unpooled.buffer();
        event.writeIntLE((int) second).writeByte(type).writeIntLE(1).writeIntLE(length);
        return event.writeIntLE((int) end).writeShortLE(0).writeBytes(body);
    }

    private static ByteBuf marked(int flag, ByteBuf event) {
        return Unpooled.buffer().writeByte(0).writeByte(0xEF).writeByte(flag).writeBytes(event);
    }

    private int before(ByteBuf packet) {
        int length = packet.readableBytes();
        return packets.packet(packet, 0, length, length, length < WHOLE);
    }

    private void follow(ByteBuf event) {
        packets.event(event, 0, event.readableBytes());
    }

    @Test
    void findsTheMarkAndTheQuestion() {
        assertThat(before(marked(1, event(EventType.XID, 5, 100, new byte[8])))).isEqualTo(2);
        assertThat(packets.awaited()).isTrue();
        assertThat(before(marked(0, event(EventType.XID, 5, 100, new byte[8])))).isEqualTo(2);
        assertThat(packets.awaited()).isFalse();
        assertThat(packets.marked()).isTrue();
    }

    /** 0x…00EF and 0x…01EF as a time look like the mark. */
    @ParameterizedTest
    @ValueSource(longs = {0x6500_00EFL, 0x6500_01EFL})
    void anEventWhoseTimeLooksLikeTheMarkHasNone(long second) {
        ByteBuf packet = Unpooled.buffer().writeByte(0).writeBytes(event(EventType.XID, second, 100, new byte[8]));
        assertThat(before(packet)).isZero();
        assertThat(packets.marked()).isFalse();
        assertThat(packets.awaited()).isFalse();
    }

    @Test
    void theFirstPartOfALongEventIsMarkedAsTheOneBefore() {
        before(marked(0, event(EventType.XID, 5, 100, new byte[8])));
        ByteBuf first = marked(1, event(EventType.TABLE_MAP, 5, 100, new byte[100]));
        assertThat(packets.packet(first, 0, first.readableBytes(), WHOLE, false))
                .isEqualTo(2);
        assertThat(packets.awaited()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFileBeginsWithItsName(boolean checksum) {
        byte[] name = "binlog.000042".getBytes(StandardCharsets.US_ASCII);
        ByteBuf body = Unpooled.buffer().writeLongLE(4).writeBytes(name);
        byte[] bytes = new byte[body.readableBytes() + (checksum ? 4 : 0)];
        body.readBytes(bytes, 0, body.readableBytes());
        ByteBuf rotate = event(EventType.ROTATE, 0, 0, bytes);
        if (checksum) {
            CRC32 crc = new CRC32();
            crc.update(rotate.array(), 0, rotate.readableBytes() - 4);
            rotate.setIntLE(rotate.readableBytes() - 4, (int) crc.getValue());
        }
        follow(rotate);
        assertThat(packets.end()).isEqualTo(new BinlogEnd("binlog.000042", 4));
        follow(event(EventType.XID, 5, 731, new byte[8]));
        assertThat(packets.end()).isEqualTo(new BinlogEnd("binlog.000042", 731));
    }

    /** A heartbeat and the first events of a stream name no position or an old one. */
    @Test
    void anEventWithoutAPositionMovesNothing() {
        follow(event(EventType.XID, 5, 731, new byte[8]));
        follow(event(EventType.HEARTBEAT, 5, 0, new byte[8]));
        assertThat(packets.end().position()).isEqualTo(731);
    }

    /** Too high a position would acknowledge what has not arrived. */
    @Test
    void anEarlierPositionMovesNothing() {
        follow(event(EventType.XID, 5, 731, new byte[8]));
        follow(event(EventType.FORMAT_DESCRIPTION, 5, 256, new byte[8]));
        assertThat(packets.end().position()).isEqualTo(731);
    }

    /** The header has four bytes for it, and one transaction may be longer. */
    @Test
    void aFileMayBeLargerThanFourGibibytes() {
        follow(event(EventType.XID, 5, 0xFFFF_FF00L, new byte[8]));
        follow(event(EventType.XID, 5, 0x10, new byte[8]));
        assertThat(packets.end().position()).isEqualTo(0x1_0000_0010L);
        follow(event(EventType.XID, 5, 0x30, new byte[8]));
        assertThat(packets.end().position()).isEqualTo(0x1_0000_0030L);
    }
}
