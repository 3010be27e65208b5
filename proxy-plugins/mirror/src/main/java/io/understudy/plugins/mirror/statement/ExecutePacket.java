package io.understudy.plugins.mirror.statement;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Rewrites a client's COM_STMT_EXECUTE for a standby connection: replaces the statement id, clears the cursor flag so
 * that the rows come at once, and adds the parameter types if the client left them out, as clients do from the second
 * execution on. Values are copied unchanged.
 *
 * <p>Source: MySQL source documentation, COM_STMT_EXECUTE.
 */
public final class ExecutePacket {
    private static final int HEADER = 4;
    private static final int ID_AT = 1;
    private static final int FLAGS_AT = 5;
    private static final int BODY_AT = 10;
    private static final int PARAMETER_COUNT_AVAILABLE = 8;

    private ExecutePacket() {}

    /**
     * Returns the COM_STMT_SEND_LONG_DATA packets, back to back with their headers, readdressed to {@code statementId}.
     */
    public static ByteBuf readdress(ByteBufAllocator alloc, byte[] longData, int statementId) {
        ByteBuf out = alloc.buffer(longData.length).writeBytes(longData);
        int at = 0;
        while (at < longData.length) {
            out.setIntLE(at + HEADER + ID_AT, statementId);
            at += HEADER + out.getUnsignedMediumLE(at);
        }
        return out;
    }

    /**
     * Returns the packet for {@code statementId} on the standby, or null if the types were never sent or the packet
     * carries query attributes.
     */
    public static @Nullable ByteBuf rewrite(
            ByteBufAllocator alloc, ByteBuf packet, int statementId, int parameters, byte @Nullable [] types) {
        int payload = packet.readableBytes() - HEADER;
        int base = packet.readerIndex() + HEADER;
        if (payload < BODY_AT || (packet.getByte(base + FLAGS_AT) & PARAMETER_COUNT_AVAILABLE) != 0) {
            return null;
        }
        int boundAt = BODY_AT + (parameters + 7) / 8;
        boolean typesMissing = parameters > 0 && (boundAt >= payload || packet.getByte(base + boundAt) == 0);
        if (typesMissing && (types == null || types.length != parameters * 2 || boundAt >= payload)) {
            return null;
        }
        int added = typesMissing && types != null ? types.length : 0;
        ByteBuf out = alloc.buffer(HEADER + payload + added);
        out.writeMediumLE(payload + added).writeByte(0);
        int start = out.writerIndex();
        if (added == 0) {
            out.writeBytes(packet, base, payload);
        } else if (types != null) {
            out.writeBytes(packet, base, boundAt).writeByte(1).writeBytes(types);
            out.writeBytes(packet, base + boundAt + 1, payload - boundAt - 1);
        }
        out.setIntLE(start + ID_AT, statementId);
        out.setByte(start + FLAGS_AT, 0);
        return out;
    }
}
