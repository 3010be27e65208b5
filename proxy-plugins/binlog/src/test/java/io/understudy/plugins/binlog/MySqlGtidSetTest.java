package io.understudy.plugins.binlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.servers.GtidNumbers;
import org.junit.jupiter.api.Test;

class MySqlGtidSetTest {
    private static final String A = "3e11fa47-71ca-11e1-9e33-c80aa9429562";

    private static ByteBuf encode(String text) {
        ByteBuf out = Unpooled.buffer();
        MySqlGtidSet.encode(GtidNumbers.ofMySql(text), out);
        return out;
    }

    @Test
    void endsAreExclusive() {
        ByteBuf out = encode(A.toUpperCase(java.util.Locale.ROOT) + ":1-5:7");
        assertThat(out.readLongLE()).isEqualTo(1);
        assertThat(new java.util.UUID(out.readLong(), out.readLong())).hasToString(A);
        assertThat(out.readLongLE()).isEqualTo(2);
        assertThat(new long[] {out.readLongLE(), out.readLongLE(), out.readLongLE(), out.readLongLE()})
                .containsExactly(1, 6, 7, 8);
        assertThat(out.readableBytes()).isZero();
    }

    @Test
    void tagsChangeTheFormatOfTheWholeSet() {
        ByteBuf out = encode(A + ":1-5:foo:2,\n" + A + ":bar:1");
        assertThat(out.readLongLE()).isEqualTo(1L << 56 | 3 << 8 | 1);
        out.skipBytes(16);
        assertThat(out.readByte()).isZero();
        out.skipBytes(8 + 16 + 16);
        assertThat(out.readByte()).isEqualTo((byte) (3 << 1));
        assertThat(out.readCharSequence(3, java.nio.charset.StandardCharsets.US_ASCII))
                .hasToString("bar");
    }

    @Test
    void emptySetAndCount() {
        assertThat(encode("").readLongLE()).isZero();
        assertThat(GtidNumbers.ofMySql(A + ":1-5:7:t:1-2").count()).isEqualTo(8);
        assertThatThrownBy(() -> encode("nonsense:1")).isInstanceOf(IllegalArgumentException.class);
    }
}
