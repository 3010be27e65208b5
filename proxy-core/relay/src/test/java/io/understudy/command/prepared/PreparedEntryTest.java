package io.understudy.command.prepared;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.understudy.command.settings.SqlModeSetting;
import io.understudy.protocol.Capabilities;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.StatementKind;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PreparedEntryTest {
    private final PreparedEntry entry = new PreparedEntry(
            StatementKind.SELECT,
            null,
            new byte[0],
            0,
            new PreparedEntry.Preparation(null, null, SqlModeSetting.literal(""), true),
            new SqlAnalyzer());

    private void execute(String payloadHex, long capabilities) {
        ByteBuf buf = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(payloadHex));
        entry.learnTypes(buf, 0, buf.readableBytes(), capabilities);
    }

    private static String hex(byte @Nullable [] bytes) {
        return bytes == null ? "none" : ByteBufUtil.hexDump(bytes);
    }

    /** MariaDB's clients may send prepare and execute (with id -1) without waiting in between. */
    @Test
    void typesOfAnExecutionBeforeThePrepareResponseAreLearned() {
        execute("17" + "ffffffff" + "00" + "01000000" + "00" + "01" + "0300" + "2a000000", 0);
        assertThat(hex(entry.parameterTypes())).isEqualTo("none");
        entry.prepared(5, 1);
        assertThat(hex(entry.parameterTypes())).isEqualTo("0300");
        execute("17" + "05000000" + "00" + "01000000" + "00" + "00" + "2b000000", 0);
        assertThat(hex(entry.parameterTypes())).isEqualTo("0300");
        execute("17" + "05000000" + "00" + "01000000" + "00" + "01" + "0800" + "2b00000000000000", 0);
        assertThat(hex(entry.parameterTypes())).isEqualTo("0800");
    }

    @Test
    void attributeTypesAreNotParameterTypes() {
        entry.prepared(5, 1);
        execute(
                "17" + "05000000" + "08" + "01000000" + "02" + "00" + "01" + "0300" + "00" + "fd00" + "0161"
                        + "2a000000" + "0178",
                Capabilities.QUERY_ATTRIBUTES);
        assertThat(hex(entry.parameterTypes())).isEqualTo("0300");
    }
}
