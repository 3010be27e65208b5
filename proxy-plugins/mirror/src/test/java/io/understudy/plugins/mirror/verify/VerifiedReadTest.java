package io.understudy.plugins.mirror.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.Standby;
import io.understudy.sql.ParameterValues;
import io.understudy.testkit.Fakes;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class VerifiedReadTest {
    private static final int NULLS_AT = 14;
    private static final int LONG = 3;
    private static final int TEXT = 253;

    private static @Nullable String sql(byte[] text, @Nullable ParameterValues values) {
        Standby standby = Fakes.of(Standby.class, (proxy, method, arguments) -> null);
        return new VerifiedRead(standby, text, values, null, null, List.of(), 1).sql();
    }

    private static @Nullable String executed(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream packet = new ByteArrayOutputStream();
        packet.writeBytes(new byte[NULLS_AT]);
        packet.writeBytes(new byte[] {4, 1, LONG, 0, (byte) TEXT, 0, LONG, 0}); // the third is NULL
        packet.writeBytes(new byte[] {7, 0, 0, 0, (byte) bytes.length});
        packet.writeBytes(bytes);
        return sql(
                "SELECT a FROM t WHERE b = ? AND c = ? OR d = ? -- why".getBytes(StandardCharsets.US_ASCII),
                new ParameterValues(packet.toByteArray(), 3, null));
    }

    @Test
    void hasLiteralsInPlaceOfValues() {
        assertThat(executed("x@y {z} ?")).isEqualTo("SELECT a FROM t WHERE b = 7 AND c = 'x@y {z} ?' OR d = NULL");
    }

    @Test
    void escapesQuotesAndBackslashes() {
        assertThat(executed("it's \\")).contains("c = 'it\\'s \\\\' OR");
    }

    /** What they mean depends on the client's character set. */
    @Test
    void hasNoLiteralsBeyondAscii() {
        assertThat(executed("ä")).isNull();
    }

    @Test
    void isATextStatementAsItWasSent() {
        String text = "SELECT a FROM t WHERE b = 'line\nbreak' -- why";
        assertThat(sql(text.getBytes(StandardCharsets.US_ASCII), null)).isEqualTo(text);
    }

    @Test
    void isUnknownWithoutItsTypes() {
        byte[] second = new byte[NULLS_AT + 6];
        assertThat(sql("SELECT ?".getBytes(StandardCharsets.US_ASCII), new ParameterValues(second, 1, null)))
                .isNull();
    }
}
