package io.understudy.command.prepared;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.understudy.command.settings.SqlModeSetting;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.StatementKind;
import org.junit.jupiter.api.Test;

class LongDataTest {
    private static final int LIMIT = 20;

    private final PreparedStatements statements = new PreparedStatements(
            () -> new PreparedEntry.Preparation(null, null, SqlModeSetting.literal(""), true),
            () -> new TextPrepared(new SqlAnalyzer(), false));

    private PreparedEntry statement(int id) {
        PreparedEntry entry = new PreparedEntry(
                StatementKind.SELECT,
                null,
                new byte[0],
                0,
                new PreparedEntry.Preparation(null, null, SqlModeSetting.literal(""), true),
                new SqlAnalyzer());
        statements.prepared(entry, id, 1);
        return entry;
    }

    private void send(PreparedEntry entry, String payloadHex, boolean wanted) {
        ByteBuf buf = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump("ff" + payloadHex));
        statements.longData(entry, buf, 1, buf.readableBytes() - 1, wanted, LIMIT);
    }

    private static String kept(PreparedEntry entry) {
        byte[] packets = entry.longData();
        return packets == null ? "none" : ByteBufUtil.hexDump(packets);
    }

    @Test
    void packetsAreKeptUntilTheExecution() {
        PreparedEntry entry = statement(1);
        assertThat(kept(entry)).isEqualTo("none");
        send(entry, "18010000000000aa", true);
        send(entry, "18010000000000bb", true);
        assertThat(kept(entry)).isEqualTo("08000000" + "18010000000000aa" + "08000000" + "18010000000000bb");
        assertThat(statements.atRest()).isFalse();

        statements.clearLongData(entry);
        assertThat(entry.longDataPending()).isFalse();
        assertThat(kept(entry)).isEqualTo("none");
        assertThat(statements.atRest()).isTrue();
        send(entry, "18010000000000cc", true);
        assertThat(kept(entry)).isEqualTo("08000000" + "18010000000000cc");
    }

    @Test
    void allOrNothingOfAnExecutionIsKept() {
        PreparedEntry entry = statement(1);
        send(entry, "18010000000000aa", true);
        send(entry, "18010000000000bb", false);
        send(entry, "18010000000000cc", true);
        assertThat(entry.longDataPending()).isTrue();
        assertThat(kept(entry)).isEqualTo("none");
    }

    @Test
    void theLimitAppliesToTheSession() {
        PreparedEntry first = statement(1);
        PreparedEntry second = statement(2);
        send(first, "18010000000000aaaaaaaa", true);
        send(second, "18020000000000aaaaaaaa", true);
        assertThat(kept(first)).isNotEqualTo("none");
        assertThat(kept(second)).isEqualTo("none");
        statements.clearLongData(first);
        statements.clearLongData(second);
        send(second, "18020000000000aaaaaaaa", true);
        assertThat(kept(second)).isNotEqualTo("none");
    }
}
