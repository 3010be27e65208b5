package io.understudy.replay.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.replay.compare.ResultFold.RowRounding;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RowRoundingTest {
    private static final int TINY = 1;
    private static final int FLOAT = 4;
    private static final int DOUBLE = 5;
    private static final int NULL_TYPE = 6;
    private static final int DATETIME = 12;
    private static final int YEAR = 13;
    private static final int VAR_STRING = 253;

    private static FloatingRows ofExecution(double value, String text, int tiny) {
        RowRounding rounding = new RowRounding(true);
        List.of(TINY, DATETIME, NULL_TYPE, VAR_STRING, YEAR, DOUBLE).forEach(rounding::column);
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ByteBuf row = Unpooled.buffer();
        row.writeByte(0).writeByte(1 << 4); // the third of six columns is NULL; the bitmap is one byte
        row.writeByte(tiny);
        row.writeByte(4).writeShortLE(2026).writeByte(1).writeByte(15);
        row.writeByte(bytes.length).writeBytes(bytes);
        row.writeShortLE(2026).writeDoubleLE(value);
        rounding.row(row, 0, row.writerIndex(), row.writerIndex(), 0);
        return Objects.requireNonNull(rounding.rows());
    }

    /** @param rows pairs of a number, or "NULL", and a text */
    private static FloatingRows ofText(int type, String... rows) {
        RowRounding rounding = new RowRounding(false);
        List.of(type, VAR_STRING).forEach(rounding::column);
        for (int i = 0; i < rows.length; i += 2) {
            ByteBuf row = Unpooled.buffer();
            for (String field : List.of(rows[i], rows[i + 1])) {
                if (field.equals("NULL")) {
                    row.writeByte(0xFB);
                } else {
                    row.writeByte(field.length()).writeCharSequence(field, StandardCharsets.UTF_8);
                }
            }
            rounding.row(row, 0, row.writerIndex(), row.writerIndex(), 0);
        }
        return Objects.requireNonNull(rounding.rows());
    }

    private static boolean alike(FloatingRows one, FloatingRows other) {
        assertThat(one.isLike(other)).isEqualTo(other.isLike(one));
        return one.isLike(other);
    }

    private static FloatingRows single(float value) {
        RowRounding rounding = new RowRounding(true);
        rounding.column(FLOAT);
        ByteBuf row = Unpooled.buffer().writeShortLE(0).writeFloatLE(value);
        rounding.row(row, 0, row.writerIndex(), row.writerIndex(), 0);
        return Objects.requireNonNull(rounding.rows());
    }

    @Test
    void theLastDigitsOfAnExecutionsDoubleDoNotCount() {
        double sum = 2857.142857142857;
        FloatingRows row = ofExecution(sum, "a", 1);
        assertThat(alike(ofExecution(Math.nextUp(sum), "a", 1), row)).isTrue();
        assertThat(alike(ofExecution(sum + 0.001, "a", 1), row)).isFalse();
        assertThat(alike(ofExecution(sum, "b", 1), row)).isFalse();
        assertThat(alike(ofExecution(sum, "a", 2), row)).isFalse();
        assertThat(alike(ofExecution(Double.POSITIVE_INFINITY, "a", 1), row)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "2857.1428571428573, 2857.142857142857, true",
        "2857.15, 2857.142857142857, false",
        "10000000000, 10000000001, false",
        "1000000000000, 1000000000001, false",
        "9007199254740990, 9007199254740991, false",
        "9007199254740992, 9007199254740994, true", // as close as DOUBLEs of this size can be
        "10000000000, 10000000000.000002, true",
        "123456789012345, 123456789012345.02, true",
        "3, 2.9999999999999996, true",
        "1.0000000000009, 1.00000000000099, true",
        "1.000000000001, 1.000000000002, false",
        "-1e-12, 1e-12, false",
        "0, 1e-20, false",
        "NULL, 0, false",
    })
    void theLastDigitsOfATextDoubleDoNotCount(String a, String b, boolean alike) {
        assertThat(alike(ofText(DOUBLE, a, "x"), ofText(DOUBLE, b, "x"))).isEqualTo(alike);
        assertThat(alike(ofText(DOUBLE, a, "x"), ofText(DOUBLE, b, "y"))).isFalse();
    }

    @Test
    void onlyTheLastDigitOfAFloatDoesNotCount() {
        assertThat(alike(ofText(FLOAT, "1.00001", "x"), ofText(FLOAT, "1.00002", "x")))
                .isFalse();
        assertThat(alike(ofText(FLOAT, "0.1", "x"), ofText(DOUBLE, "0.1", "x"))).isFalse();
        assertThat(alike(single(1.00001f), single(Math.nextUp(1.00001f)))).isTrue();
        assertThat(alike(single(1.00001f), single(1.00001f + 3 * Math.ulp(1.00001f))))
                .isFalse();
        assertThat(alike(single(16777215), single(16777214))).isFalse();
    }

    /** Grouped sums: each may differ in its last digit, and nothing else may. */
    @Test
    void manyRowsAreComparedInAnyOrder() {
        String[] sums = new String[2 * 70_000]; // more than are kept
        String[] others = new String[sums.length];
        for (int i = 0; i < sums.length; i += 2) {
            double sum = i / 7.0 + 0.3;
            sums[i] = String.valueOf(sum);
            others[i] = String.valueOf(i < 100_000 ? Math.nextUp(sum) : sum);
            sums[i + 1] = others[i + 1] = "group " + i % 11;
        }
        assertThat(alike(ofText(DOUBLE, sums), ofText(DOUBLE, others))).isTrue();
        others[120_000] = "5";
        assertThat(alike(ofText(DOUBLE, sums), ofText(DOUBLE, others))).isFalse();
        assertThat(alike(
                        ofText(DOUBLE, "1.1", "a", "2.2", "b", "3.3", "b"),
                        ofText(DOUBLE, "3.3000000000000003", "b", "2.2", "b", "1.1", "a")))
                .isTrue();
        assertThat(alike(ofText(DOUBLE, "1.1", "a", "2.2", "b"), ofText(DOUBLE, "2.2", "a", "1.1", "b")))
                .isFalse();
    }
}
