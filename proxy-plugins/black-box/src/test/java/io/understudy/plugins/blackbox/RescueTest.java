package io.understudy.plugins.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The binary log file that a rescue writes. */
class RescueTest extends BlackBoxHarness {
    @Test
    void aFileHasEachFormatBeforeTheEventsThatItDescribes() {
        start(1, "0-1-10");
        transaction(11);
        transaction(12);
        box.onFormat("other".getBytes(StandardCharsets.US_ASCII));
        transaction(13);
        Rescue rescue = new Rescue(box, () -> null);
        int number = (int)
                Objects.requireNonNull(rescue.begin(survivor("0-1-11", "", "")).get("rescue"));
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

    @Test
    void anEmptyFileEnds() {
        start(1, "0-1-10");
        Rescue rescue = new Rescue(box, () -> null);
        int number = (int)
                Objects.requireNonNull(rescue.begin(survivor("0-1-10", "", "")).get("rescue"));
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
