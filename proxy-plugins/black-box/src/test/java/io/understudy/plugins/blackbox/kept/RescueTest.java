package io.understudy.plugins.blackbox.kept;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.understudy.plugins.blackbox.lost.ReplayGuard;
import io.understudy.plugins.blackbox.lost.Rescue;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The binary log file that a rescue writes. */
class RescueTest extends BlackBoxHarness {
    private static final HexFormat HEX = HexFormat.of();

    @Test
    void aFileHasEachFormatBeforeTheEventsThatItDescribes() {
        start(1, "0-1-10");
        transaction(11);
        transaction(12);
        box.onFormat("other".getBytes(StandardCharsets.US_ASCII));
        transaction(13);
        Rescue rescue = new Rescue(box, () -> null, (survivor, read) -> List.of());
        int number = (int) Objects.requireNonNull(
                rescue.begin(survivor("0-1-11", "", ""), true).get("rescue"));
        String file = new String(rescue.part(number), StandardCharsets.ISO_8859_1);
        assertThat(file)
                .startsWith("\u00febinformat")
                .containsSubsequence(
                        "BEGIN NOT ATOMIC",
                        ",0-1-[0-9]+'),'-',-1) AS UNSIGNED)>=12 THEN SIGNAL",
                        "g12.",
                        "'0-1-12')",
                        "otherg13.",
                        "'0-1-13')");
        assertThat(rescue.part(number)).isEmpty();
    }

    /** A session would give its rows a number of their own. */
    @Test
    void onlyACreationWithRowsIsSplit() {
        byte[] create = event(
                2,
                "00000000 00000000 01 0000 0000 61 00"
                        + HEX.formatHex("CREATE TABLE".getBytes(StandardCharsets.US_ASCII)));
        byte[] insert = event(
                2,
                "00000000 00000000 01 0000 0000 61 00"
                        + HEX.formatHex("INSERT INTO t".getBytes(StandardCharsets.US_ASCII)));
        byte[] rows = event(19, "00");
        assertThat(ReplayGuard.isSplit(events(gtid(0), create, rows))).isTrue();
        assertThat(ReplayGuard.isSplit(events(gtid(0), event(165, "00"), rows)))
                .as("compressed")
                .isTrue();
        assertThat(ReplayGuard.isSplit(events(gtid(0), create))).isFalse();
        assertThat(ReplayGuard.isSplit(events(gtid(1), create))).isFalse();
        assertThat(ReplayGuard.isSplit(events(gtid(0), insert, rows))).isFalse();
        assertThat(ReplayGuard.isSplit(events(gtid(0), rows))).isFalse();
        assertThat(ReplayGuard.isSplit(events(gtid(0)))).isFalse();
    }

    private static byte[] gtid(int flags) {
        return event(162, "0000000000000000 00000000 0" + flags);
    }

    private static byte[] event(int type, String body) {
        byte[] bytes = HEX.parseHex(body.replace(" ", ""));
        byte[] event = new byte[19 + bytes.length];
        event[4] = (byte) type;
        event[9] = (byte) event.length;
        System.arraycopy(bytes, 0, event, 19, bytes.length);
        return event;
    }

    private static byte[] events(byte[]... each) {
        return ByteBufUtil.getBytes(Unpooled.wrappedBuffer(each));
    }

    @Test
    void anEmptyFileEnds() {
        start(1, "0-1-10");
        Rescue rescue = new Rescue(box, () -> null, (survivor, read) -> List.of());
        int number = (int) Objects.requireNonNull(
                rescue.begin(survivor("0-1-10", "", ""), true).get("rescue"));
        assertThat(rescue.part(number)).isEqualTo(file(""));
        assertThat(rescue.part(number)).isEmpty();
    }

    private static byte[] file(String content) {
        ByteBuf buf = Unpooled.buffer().writeInt(0xfe62696e);
        buf.writeCharSequence(content, StandardCharsets.US_ASCII);
        byte[] bytes = new byte[buf.readableBytes()];
        buf.readBytes(bytes);
        return bytes;
    }
}
