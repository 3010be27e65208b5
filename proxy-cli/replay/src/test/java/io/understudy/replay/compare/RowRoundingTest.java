package io.understudy.replay.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowRoundingTest {
    private static final int TINY = 1;
    private static final int DOUBLE = 5;
    private static final int NULL_TYPE = 6;
    private static final int DATETIME = 12;
    private static final int YEAR = 13;
    private static final int VAR_STRING = 253;

    private static long ofExecution(double value, String text, int tiny) {
        RowRounding rounding = new RowRounding(true);
        List.of(TINY, DATETIME, NULL_TYPE, VAR_STRING, YEAR, DOUBLE).forEach(rounding::column);
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ByteBuf row = Unpooled.buffer();
        row.writeByte(0).writeByte(1 << 4); // the third of six columns is NULL; the bitmap is one byte
        row.writeByte(tiny);
        row.writeByte(4).writeShortLE(2026).writeByte(1).writeByte(15);
        row.writeByte(bytes.length).writeBytes(bytes);
        row.writeShortLE(2026).writeDoubleLE(value);
        return rounding.row(row, 0, row.writerIndex());
    }

    private static long ofText(String value, String text) {
        RowRounding rounding = new RowRounding(false);
        List.of(DOUBLE, VAR_STRING).forEach(rounding::column);
        ByteBuf row = Unpooled.buffer();
        for (String field : List.of(value, text)) {
            row.writeByte(field.length()).writeCharSequence(field, StandardCharsets.UTF_8);
        }
        return rounding.row(row, 0, row.writerIndex());
    }

    @Test
    void theLastDigitsOfAnExecutionsDoubleDoNotCount() {
        double sum = 2857.142857142857;
        assertThat(ofExecution(Math.nextUp(sum), "a", 1)).isEqualTo(ofExecution(sum, "a", 1));
        assertThat(ofExecution(sum + 0.001, "a", 1)).isNotEqualTo(ofExecution(sum, "a", 1));
        assertThat(ofExecution(sum, "b", 1)).isNotEqualTo(ofExecution(sum, "a", 1));
        assertThat(ofExecution(sum, "a", 2)).isNotEqualTo(ofExecution(sum, "a", 1));
        assertThat(ofExecution(Double.POSITIVE_INFINITY, "a", 1)).isNotEqualTo(ofExecution(sum, "a", 1));
    }

    @Test
    void theLastDigitsOfATextDoubleDoNotCount() {
        assertThat(ofText("2857.1428571428573", "a")).isEqualTo(ofText("2857.142857142857", "a"));
        assertThat(ofText("2857.15", "a")).isNotEqualTo(ofText("2857.142857142857", "a"));
        assertThat(ofText("2857.142857142857", "b")).isNotEqualTo(ofText("2857.142857142857", "a"));
    }
}
