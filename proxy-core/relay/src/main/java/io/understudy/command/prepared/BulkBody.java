package io.understudy.command.prepared;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The parameter types in the payload of a COM_STMT_BULK_EXECUTE: two bytes each, after the code, the statement's id and
 * two bytes of flags.
 *
 * <p>Source: MariaDB knowledge base, "COM_STMT_BULK_EXECUTE".
 */
final class BulkBody {
    private static final int FLAGS_AT = 5;
    private static final int TYPES_AT = 7;
    /** STMT_BULK_FLAG_CLIENT_SEND_TYPES. */
    private static final int TYPES_SENT = 128;

    private BulkBody() {}

    /** Returns whether this packet has types. */
    static boolean bound(ByteBuf buf, int index, int length) {
        return length >= TYPES_AT && (buf.getUnsignedShortLE(index + FLAGS_AT) & TYPES_SENT) != 0;
    }

    /** Returns the types of a packet that has them, or null if they are cut off. */
    static byte @Nullable [] types(ByteBuf buf, int index, int length, int parameters) {
        if (length < TYPES_AT + parameters * 2) {
            return null;
        }
        byte[] types = new byte[parameters * 2];
        buf.getBytes(index + TYPES_AT, types);
        return types;
    }

    /** As {@link ExecuteBody#copyWithTypes}. */
    static int copyWithTypes(ByteBuf out, ByteBuf buf, int index, int length, byte[] own) {
        if (length < TYPES_AT) {
            return -1;
        }
        out.writeBytes(buf, index, FLAGS_AT)
                .writeShortLE(buf.getUnsignedShortLE(index + FLAGS_AT) | TYPES_SENT)
                .writeBytes(own)
                .writeBytes(buf, index + TYPES_AT, length - TYPES_AT);
        return own.length;
    }
}
