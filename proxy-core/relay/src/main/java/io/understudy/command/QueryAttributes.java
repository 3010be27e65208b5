package io.understudy.command;

import io.netty.buffer.ByteBuf;
import io.understudy.command.prepared.BinaryValues;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.CommandCode;
import io.understudy.wire.LengthEncoded;
import org.jspecify.annotations.Nullable;

/**
 * Locates the text of a COM_QUERY. With {@link Capabilities#QUERY_ATTRIBUTES} the text is preceded by a count of
 * parameters, a count of sets (always 1) and, if there are any, their null bitmap, types, names and values.
 *
 * <p>Source: MySQL source documentation, COM_QUERY.
 */
final class QueryAttributes {
    private static final int NO_TEXT = -1;

    private QueryAttributes() {}

    /**
     * Returns the offset of the text in the payload, or the payload's length when it cannot be found, which makes the
     * text empty.
     */
    static int textOffset(ByteBuf buf, int index, int length, long capabilities) {
        if ((capabilities & Capabilities.QUERY_ATTRIBUTES) == 0 || buf.getByte(index) != CommandCode.QUERY) {
            return Math.min(1, length);
        }
        if (length >= 3 && buf.getByte(index + 1) == 0 && buf.getByte(index + 2) == 1) {
            return 3;
        }
        int at = skipParameters(buf, index + 1, index + length, null);
        return at == NO_TEXT ? length : at - index;
    }

    /** Returns the index of the value of a text attribute of a COM_QUERY that has attributes; -1 if there is none. */
    static int valueAt(ByteBuf buf, int index, int length, byte[] name) {
        return skipParameters(buf, index + 1, index + length, name);
    }

    /**
     * @param wanted name of the attribute whose value is to be found, {@link #NO_TEXT} if there is none; null for the
     *     text
     */
    private static int skipParameters(ByteBuf buf, int start, int end, byte @Nullable [] wanted) {
        if (start >= end) {
            return NO_TEXT;
        }
        int at = start;
        int size = LengthEncoded.size(buf.getUnsignedByte(at));
        if (at + size > end) {
            return NO_TEXT;
        }
        long count = LengthEncoded.get(buf, at);
        at += size + 1; // the count of sets, always 1
        if (count == 0) {
            return at <= end && wanted == null ? at : NO_TEXT;
        }
        if (count < 0 || count > 65_535) {
            return NO_TEXT;
        }
        int nulls = at;
        at += (int) (count + 7) / 8 + 1; // null bitmap, new-params-bound flag
        int[] types = new int[(int) count];
        int found = -1;
        for (int i = 0; i < count; i++) {
            if (at + 3 > end) {
                return NO_TEXT;
            }
            types[i] = buf.getUnsignedByte(at);
            int nameAt = at + 2;
            at = BinaryValues.skip(buf, nameAt, end, BinaryValues.ANY_STRING);
            if (at < 0) {
                return NO_TEXT;
            }
            found = wanted != null && BinaryValues.isNamed(buf, nameAt, types[i], wanted) ? i : found;
        }
        for (int i = 0; i < count; i++) {
            boolean isNull = (buf.getByte(nulls + i / 8) & 1 << i % 8) != 0;
            int next = isNull ? at : BinaryValues.skip(buf, at, end, types[i]);
            if (next < 0 || next > end) {
                return NO_TEXT;
            }
            if (i == found) {
                return isNull ? NO_TEXT : at;
            }
            at = next;
        }
        return wanted == null ? at : NO_TEXT;
    }
}
