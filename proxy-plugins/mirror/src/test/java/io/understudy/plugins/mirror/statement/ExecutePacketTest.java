package io.understudy.plugins.mirror.statement;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The packets follow the layout of COM_STMT_EXECUTE: code, id, flags, iterations, null bitmap, types bound, types,
 * values.
 */
class ExecutePacketTest {
    private static final ByteBufAllocator ALLOC = UnpooledByteBufAllocator.DEFAULT;
    private static final byte[] LONG = {0x03, 0x00};

    private final java.util.List<ByteBuf> made = new java.util.ArrayList<>();

    @AfterEach
    void release() {
        made.forEach(ByteBuf::release);
    }

    private ByteBuf packet(String payloadHex) {
        byte[] payload = ByteBufUtil.decodeHexDump(payloadHex);
        ByteBuf out =
                Unpooled.buffer().writeMediumLE(payload.length).writeByte(0).writeBytes(payload);
        made.add(out);
        return out;
    }

    private String rewritten(ByteBuf packet, int id, int parameters, byte... types) {
        ByteBuf out = ExecutePacket.rewrite(ALLOC, packet, id, parameters, types.length == 0 ? null : types);
        if (out == null) {
            return "none";
        }
        made.add(out);
        assertThat(out.getUnsignedMediumLE(0)).isEqualTo(out.readableBytes() - 4);
        return ByteBufUtil.hexDump(out, 4, out.readableBytes() - 4);
    }

    @Test
    void replacesTheIdAndTheCursorFlag() {
        ByteBuf withTypes = packet("17" + "07000000" + "01" + "01000000" + "00" + "01" + "0300" + "2a000000");
        assertThat(rewritten(withTypes, 0x0102, 1))
                .isEqualTo("17" + "02010000" + "00" + "01000000" + "00" + "01" + "0300" + "2a000000");
    }

    @Test
    void addsTypesThatTheClientLeftOut() {
        ByteBuf withoutTypes = packet("17" + "07000000" + "00" + "01000000" + "00" + "00" + "2a000000");
        assertThat(rewritten(withoutTypes, 9, 1, LONG))
                .isEqualTo("17" + "09000000" + "00" + "01000000" + "00" + "01" + "0300" + "2a000000");
    }

    @Test
    void needsNoTypesWithoutParameters() {
        ByteBuf bare = packet("17" + "07000000" + "00" + "01000000");
        assertThat(rewritten(bare, 9, 0)).isEqualTo("17" + "09000000" + "00" + "01000000");
    }

    @Test
    void rejectsAnExecutionWhoseTypesWereNeverSent() {
        ByteBuf withoutTypes = packet("17" + "07000000" + "00" + "01000000" + "00" + "00" + "2a000000");
        assertThat(rewritten(withoutTypes, 9, 1)).isEqualTo("none");
    }

    @Test
    void rejectsQueryAttributesAndTruncatedPackets() {
        assertThat(rewritten(packet("17" + "07000000" + "08" + "01000000" + "01" + "00"), 9, 1, LONG))
                .isEqualTo("none");
        assertThat(rewritten(packet("17" + "0700"), 9, 1, LONG)).isEqualTo("none");
        assertThat(rewritten(packet("17" + "07000000" + "00" + "01000000"), 9, 1, LONG))
                .isEqualTo("none");
    }
}
