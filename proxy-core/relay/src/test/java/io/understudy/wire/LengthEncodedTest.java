package io.understudy.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.testkit.Bytes;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class LengthEncodedTest {
    @Property(tries = 500)
    void writtenValuesAreReadBack(@ForAll long value) {
        roundTrip(value);
    }

    @Test
    void everyLengthIsReadAtItsEdges() {
        for (long value :
                new long[] {0, 250, 251, 252, 255, 65_535, 65_536, 0xFF_FFFF, 0x100_0000, Long.MAX_VALUE, -1}) {
            roundTrip(value);
        }
        assertThat(written(250)).isEqualTo(Bytes.of(250));
        assertThat(written(251)).isEqualTo(Bytes.of(0xFC, 251, 0));
        assertThat(written(65_536)).isEqualTo(Bytes.of(0xFD, 0, 0, 1));
        assertThat(written(0x100_0000)).isEqualTo(Bytes.of(0xFE, 0, 0, 0, 1, 0, 0, 0, 0));
    }

    private static byte[] written(long value) {
        ByteBuf buf = Unpooled.buffer();
        LengthEncoded.write(buf, value);
        return Bytes.read(buf);
    }

    private static void roundTrip(long value) {
        byte[] bytes = written(value);
        ByteBuf whole = Bytes.unpooled(bytes);
        assertThat(LengthEncoded.size(bytes[0] & 0xFF)).isEqualTo(bytes.length);
        assertThat(LengthEncoded.get(whole, 0)).isEqualTo(value);
        assertThat(LengthEncoded.read(whole)).isEqualTo(value);
        assertThat(whole.isReadable()).isFalse();
        for (int cut = 0; cut < bytes.length; cut++) {
            ByteBuf part = Bytes.unpooled(Bytes.slice(bytes, 0, cut));
            assertThatThrownBy(() -> LengthEncoded.read(part)).isInstanceOf(MalformedPacketException.class);
        }
    }

    @Test
    void aLengthMustLieWithinThePacket() {
        assertThat(LengthEncoded.readLength(Bytes.unpooled(Bytes.of(2, 7, 7)))).isEqualTo(2);
        for (byte[] bad : new byte[][] {
            Bytes.of(3, 7, 7),
            Bytes.of(0xFE, 255, 255, 255, 255, 255, 255, 255, 255, 1),
            Bytes.of(0xFE, 0, 0, 0, 0, 1, 0, 0, 0, 1)
        }) {
            assertThatThrownBy(() -> LengthEncoded.readLength(Bytes.unpooled(bad)))
                    .isInstanceOf(MalformedPacketException.class);
        }
    }

    @Test
    void nullAndTheErrorMarkerAreNoLengths() {
        for (int marker : new int[] {0xFB, 0xFF}) {
            byte[] bytes = new byte[300];
            bytes[0] = (byte) marker;
            assertThatThrownBy(() -> LengthEncoded.readLength(Bytes.unpooled(bytes)))
                    .isInstanceOf(MalformedPacketException.class);
        }
    }

    @Test
    void stringsAreReadWithTheirLength() {
        ByteBuf buf = Unpooled.buffer();
        LengthEncoded.writeString(buf, Bytes.text("abc"));
        assertThat(Bytes.read(buf)).isEqualTo(Bytes.shortString("abc"));
    }
}
