package io.understudy.command.prepared;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.understudy.protocol.Capabilities;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Payloads of COM_STMT_EXECUTE: code, id, flags, iteration count, parameter count (flag 8), null bitmap,
 * new-params-bound flag, types with names, values.
 */
class ExecuteBodyTest {
    private static final String HEAD = "17" + "07000000";
    private static final String ONCE = "01000000";
    private static final String PLAIN = HEAD + "00" + ONCE;

    private static @Nullable ExecuteBody body(String hex, int parameters, long capabilities) {
        // The reader index is not zero, as with real payloads.
        ByteBuf buf = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump("ffff" + hex));
        return ExecuteBody.of(buf, 2, buf.readableBytes() - 2, parameters, capabilities);
    }

    private static String types(String hex, int parameters) {
        ExecuteBody body = body(hex, parameters, Capabilities.QUERY_ATTRIBUTES);
        byte[] types = body == null ? null : body.types();
        return types == null ? "none" : ByteBufUtil.hexDump(types);
    }

    private static String stripped(String hex, int parameters, String known, boolean longData) {
        ExecuteBody body = body(hex, parameters, Capabilities.QUERY_ATTRIBUTES);
        ByteBuf out = Unpooled.buffer();
        byte[] types = known.isEmpty() ? null : ByteBufUtil.decodeHexDump(known);
        boolean done = body != null && body.copyWithoutAttributes(out, parameters, types, longData);
        assertThat(done || out.readableBytes() == 0).isTrue();
        return done ? ByteBufUtil.hexDump(out) : "none";
    }

    @Test
    void parameterNamesAreRemoved() {
        // One parameter, no attributes: INT named "", value 42.
        String sent = HEAD + "08" + ONCE + "01" + "00" + "01" + "0300" + "00" + "2a000000";
        assertThat(types(sent, 1)).isEqualTo("0300");
        assertThat(stripped(sent, 1, "0300", false)).isEqualTo(PLAIN + "00" + "01" + "0300" + "2a000000");
    }

    /** As MySQL Connector/Python sends it. */
    @Test
    void theCountOfAStatementWithParametersNeedsNoFlag() {
        String sent = HEAD + "00" + ONCE + "02" + "00" + "01" + "0300" + "00" + "fd00" + "0161" + "2a000000" + "0178";
        assertThat(types(sent, 1)).isEqualTo("0300fd00");
        assertThat(stripped(sent, 1, "0300fd00", false)).isEqualTo(PLAIN + "00" + "01" + "0300" + "2a000000");
        String again = HEAD + "00" + ONCE + "02" + "00" + "00" + "2a000000" + "0178";
        assertThat(stripped(again, 1, "0300fd00", false)).isEqualTo(PLAIN + "00" + "01" + "0300" + "2a000000");
    }

    @Test
    void attributesAfterTheParametersAreRemoved() {
        // A parameter INT 42 and an attribute a = 'x'.
        String sent = HEAD + "08" + ONCE + "02" + "00" + "01" + "0300" + "00" + "fd00" + "0161" + "2a000000" + "0178";
        assertThat(types(sent, 1)).isEqualTo("0300fd00");
        assertThat(stripped(sent, 1, "0300fd00", false)).isEqualTo(PLAIN + "00" + "01" + "0300" + "2a000000");
    }

    @Test
    void aNullAttributeHasNoValue() {
        String sent = HEAD + "08" + ONCE + "03" + "01" + "01" + "0300" + "00" + "0800" + "00" + "fd00" + "0161"
                + "0500000000000000" + "0178";
        assertThat(stripped(sent, 2, "03000800fd00", false))
                .isEqualTo(PLAIN + "01" + "01" + "03000800" + "0500000000000000");
    }

    @Test
    void laterExecutionsUseTheTypesOfTheFirst() {
        String sent = HEAD + "08" + ONCE + "02" + "00" + "00" + "2a000000" + "0178";
        assertThat(types(sent, 1)).isEqualTo("none");
        assertThat(stripped(sent, 1, "0300fd00", false)).isEqualTo(PLAIN + "00" + "01" + "0300" + "2a000000");
        assertThat(stripped(sent, 1, "", false)).isEqualTo("none");
    }

    @Test
    void attributesOfAStatementWithoutParameters() {
        String sent = HEAD + "09" + ONCE + "01" + "00" + "01" + "fd00" + "0161" + "0178";
        assertThat(stripped(sent, 0, "fd00", false)).isEqualTo(HEAD + "01" + ONCE);
        assertThat(stripped(HEAD + "00" + ONCE, 0, "", false)).isEqualTo(PLAIN);
        assertThat(stripped(HEAD + "08" + ONCE + "00", 0, "", false)).isEqualTo(PLAIN);
    }

    @Test
    void parametersSentAsLongDataHaveNoValue() {
        String alone = HEAD + "08" + ONCE + "01" + "00" + "01" + "fc00" + "00";
        assertThat(stripped(alone, 1, "fc00", true)).isEqualTo(PLAIN + "00" + "01" + "fc00");
        // It is unknown which of several values are missing, so the start of the attributes is unknown too.
        String more = HEAD + "08" + ONCE + "02" + "00" + "01" + "fc00" + "00" + "fd00" + "0161" + "0178";
        assertThat(stripped(more, 1, "fc00fd00", true)).isEqualTo("none");
    }

    @Test
    void truncatedBodiesAreUnchanged() {
        String whole = HEAD + "08" + ONCE + "02" + "00" + "01" + "0300" + "00" + "fd00" + "0161" + "2a000000" + "0178";
        for (int length = 0; length < whole.length() - 4; length += 2) {
            assertThat(stripped(whole.substring(0, length), 1, "0300fd00", false))
                    .as("%d bytes", length / 2)
                    .isEqualTo("none");
        }
        assertThat(stripped(HEAD + "08" + ONCE + "00", 1, "0300", false)).isEqualTo("none");
    }

    @Test
    void withoutTheCapabilityThereAreNoNames() {
        ExecuteBody body = body(PLAIN + "00" + "01" + "0300" + "2a000000", 1, 0);
        assertThat(body).isNotNull();
        assertThat(ByteBufUtil.hexDump(body.types())).isEqualTo("0300");
    }

    private static boolean repeats(String hex, @Nullable String known, long capabilities) {
        byte[] payload = ByteBufUtil.decodeHexDump(hex);
        ByteBuf buf = Unpooled.buffer().writeZero(3).writeBytes(payload);
        return ExecuteBody.repeats(
                buf, 3, payload.length, 2, capabilities, known == null ? null : ByteBufUtil.decodeHexDump(known));
    }

    @Test
    void repeatedOrOmittedTypesAreUnchanged() {
        String values = "2a000000" + "0178";
        String known = "0300fd00";
        assertThat(repeats(PLAIN + "00" + "01" + known + values, known, 0)).isTrue();
        assertThat(repeats(PLAIN + "00" + "00" + values, known, 0)).isTrue();
        assertThat(repeats(PLAIN + "00" + "00" + values, null, 0)).isTrue();
        assertThat(repeats(PLAIN + "00" + "01" + "0300fe00" + values, known, 0)).isFalse();
        assertThat(repeats(PLAIN + "00" + "01" + known + values, null, 0)).isFalse();
        assertThat(repeats(PLAIN + "00" + "01" + "0300fd", known, 0))
                .as("cut off")
                .isFalse();
        assertThat(repeats(PLAIN, known, 0)).as("cut off ahead of the types").isTrue();
        assertThat(repeats(PLAIN + "00" + "00" + values, known, Capabilities.QUERY_ATTRIBUTES))
                .as("attributes may shift the types")
                .isFalse();
    }
}
