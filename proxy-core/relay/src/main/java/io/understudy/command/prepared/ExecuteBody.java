package io.understudy.command.prepared;

import io.netty.buffer.ByteBuf;
import io.understudy.protocol.Capabilities;
import io.understudy.sql.InsertedValues;
import io.understudy.wire.LengthEncoded;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a COM_STMT_EXECUTE payload, or the attributes of a COM_QUERY, located without reading values. With
 * {@link Capabilities#QUERY_ATTRIBUTES} it may contain the attributes as additional parameters after the statement's
 * own, and names next to the types.
 *
 * <p>Source: MySQL source documentation, COM_STMT_EXECUTE.
 */
public record ExecuteBody(ByteBuf buf, int index, int end, boolean named, int count, int nullsAt) {
    private static final int PARAMETER_COUNT_AVAILABLE = 8;
    private static final int FLAGS_AT = 5;
    /** The only type of cursor that servers open; they ignore the others. */
    private static final int CURSOR_READ_ONLY = 1;

    private static final int COUNT_AT = 10;
    private static final int MOST = 65_535;
    /** Bytes of an attribute without value and name. */
    private static final int SHORTEST = 3;

    /**
     * Locates the parts.
     *
     * @param index index of the payload's first byte, the command code
     * @param parameters number of the statement's parameters
     * @return null when the payload is cut off or malformed
     */
    static @Nullable ExecuteBody of(ByteBuf buf, int index, int length, int parameters, long capabilities) {
        int end = index + length;
        if (length < COUNT_AT) {
            return null;
        }
        boolean named = (capabilities & Capabilities.QUERY_ATTRIBUTES) != 0;
        int at = index + COUNT_AT;
        int count = parameters;
        // A server looks at the flag only if the statement has no parameters; MySQL Connector/Python sends the count of
        // one that has without it (MySQL's Protocol_classic::parse_packet).
        if (named && (parameters > 0 || (buf.getByte(index + FLAGS_AT) & PARAMETER_COUNT_AVAILABLE) != 0)) {
            if (at >= end || at + LengthEncoded.size(buf.getUnsignedByte(at)) > end) {
                return null;
            }
            long announced = LengthEncoded.get(buf, at);
            if (announced < parameters || announced > MOST) {
                return null;
            }
            count = (int) announced;
            at += LengthEncoded.size(buf.getUnsignedByte(at));
        }
        if (count < 0 || count > MOST || count > 0 && at + nullBytes(count) >= end) {
            return null;
        }
        return new ExecuteBody(buf, index, end, named, count, at);
    }

    /** Locates the attributes of a COM_QUERY, ahead of its text; null when they are cut off or malformed. */
    public static @Nullable ExecuteBody ofQuery(ByteBuf buf, int index, int length) {
        int end = index + length;
        int size = length < 2 ? 1 : LengthEncoded.size(buf.getUnsignedByte(index + 1));
        int nullsAt = index + 1 + size + 1; // behind the count of sets, always 1
        if (nullsAt > end) {
            return null;
        }
        long count = LengthEncoded.get(buf, index + 1);
        return count < 0 || count > MOST || count * SHORTEST > end - nullsAt
                ? null
                : new ExecuteBody(buf, index, end, true, (int) count, nullsAt);
    }

    /**
     * Returns whether a COM_STMT_EXECUTE, given by {@code length} bytes or its beginning, requests a server-side
     * cursor.
     */
    public static boolean requestsCursor(ByteBuf buf, int index, int length) {
        return length > FLAGS_AT && (buf.getByte(index + FLAGS_AT) & CURSOR_READ_ONLY) != 0;
    }

    private static int nullBytes(int count) {
        return (count + 7) / 8;
    }

    private int boundAt() {
        return nullsAt + nullBytes(count);
    }

    /**
     * Returns whether an execution has these types or none, so that nothing is to be learned from it; false also if the
     * types are not at a fixed place. Allocates nothing, because nearly every execution is such a one.
     */
    static boolean repeats(
            ByteBuf buf, int index, int length, int parameters, long capabilities, byte @Nullable [] known) {
        if ((capabilities & Capabilities.QUERY_ATTRIBUTES) != 0) {
            return false;
        }
        int end = index + length;
        int boundAt = index + COUNT_AT + nullBytes(parameters);
        if (parameters == 0 || boundAt >= end || buf.getByte(boundAt) != 1) {
            return true;
        }
        if (known == null || known.length != parameters * 2 || boundAt + 1 + known.length > end) {
            return false;
        }
        for (int i = 0; i < known.length; i++) {
            if (buf.getByte(boundAt + 1 + i) != known[i]) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether this packet has types. */
    boolean bound() {
        return count > 0 && buf.getByte(boundAt()) == 1;
    }

    /** Returns the types of all parameters including attributes, two bytes each; null when this packet has none. */
    byte @Nullable [] types() {
        if (!bound()) {
            return null;
        }
        byte[] types = new byte[count * 2];
        return afterTypes(types) < 0 ? null : types;
    }

    /** Copies the types and returns the index after types and names, or -1 when they are cut off. */
    private int afterTypes(byte[] types) {
        int at = boundAt() + 1;
        for (int i = 0; i < count; i++) {
            if (at + 2 > end) {
                return -1;
            }
            buf.getBytes(at, types, i * 2, 2);
            at += 2;
            if (named) {
                at = BinaryValues.skip(buf, at, end, BinaryValues.ANY_STRING);
                if (at < 0) {
                    return -1;
                }
            }
        }
        return at;
    }

    /**
     * Appends the execution in the form for a connection without query attributes: with the types of the statement's
     * own parameters.
     *
     * @param parameters number of the statement's parameters
     * @param known types of this or an earlier execution, as {@link #types} returns them; null when there were none
     * @param longData whether values of some parameters were sent ahead, so that they are missing here
     * @return false, with nothing appended, when the values cannot be separated
     */
    boolean copyWithoutAttributes(ByteBuf out, int parameters, byte @Nullable [] known, boolean longData) {
        byte[] types = known;
        if (parameters > 0 && (types == null || types.length < parameters * 2)) {
            return false;
        }
        int valuesAt = end;
        int valuesEnd = end;
        if (count > 0) {
            boolean bound = buf.getByte(boundAt()) == 1;
            valuesAt = bound ? afterTypes(new byte[count * 2]) : boundAt() + 1;
            valuesEnd = count == parameters
                    ? end
                    : longData || types == null ? -1 : skipValues(valuesAt, parameters, types);
            if (valuesAt < 0 || valuesEnd < 0) {
                return false;
            }
        }
        out.writeBytes(buf, index, FLAGS_AT);
        out.writeByte(buf.getByte(index + FLAGS_AT) & ~PARAMETER_COUNT_AVAILABLE);
        out.writeBytes(buf, index + FLAGS_AT + 1, COUNT_AT - FLAGS_AT - 1);
        if (parameters > 0 && types != null) {
            out.writeBytes(buf, nullsAt, nullBytes(parameters));
            out.writeByte(1).writeBytes(types, 0, parameters * 2);
            out.writeBytes(buf, valuesAt, valuesEnd - valuesAt);
        }
        return true;
    }

    /**
     * Appends an execution without types, or its beginning, with these. Returns the number of bytes put in, or -1, with
     * nothing appended, if there are attributes: nothing is known of their types and names.
     *
     * @param own types of the statement's own parameters, two bytes each
     */
    int copyWithTypes(ByteBuf out, byte[] own) {
        if (own.length != count * 2) {
            return -1;
        }
        int begun = out.writerIndex();
        int valuesAt = boundAt() + 1;
        out.writeBytes(buf, index, boundAt() - index).writeByte(1);
        for (int i = 0; i < own.length; i += 2) {
            out.writeBytes(own, i, 2);
            if (named) {
                out.writeByte(0); // an empty name
            }
        }
        out.writeBytes(buf, valuesAt, end - valuesAt);
        return out.writerIndex() - begun - (end - index);
    }

    /** Returns the index after all values, -1 when they are cut off. Each packet of attributes has their types. */
    public int endOfValues() {
        if (count == 0) {
            return nullsAt;
        }
        byte[] types = new byte[count * 2];
        int at = afterTypes(types);
        return at < 0 ? at : skipValues(at, count, types);
    }

    /**
     * Returns the index of the value of a text attribute, one with a name; -1 if there is none.
     *
     * @param parameters number of the statement's parameters, ahead of the attributes
     */
    public int attributeAt(byte[] wanted, int parameters) {
        byte[] types = new byte[count * 2];
        if (!named || count <= parameters || !bound() || afterTypes(types) < 0) {
            return -1;
        }
        int at = boundAt() + 1;
        int found = -1;
        for (int i = 0; i < count; i++) {
            int type = buf.getUnsignedByte(at);
            found = i >= parameters && BinaryValues.isNamed(buf, at + 2, type, wanted) ? i : found;
            at = BinaryValues.skip(buf, at + 2, end, BinaryValues.ANY_STRING);
        }
        boolean isNull = found >= 0 && (buf.getByte(nullsAt + found / 8) & 1 << found % 8) != 0;
        int valueAt = found < 0 || isNull ? -1 : skipValues(at, found, types);
        return valueAt < 0 || BinaryValues.skip(buf, valueAt, end, BinaryValues.ANY_STRING) < 0 ? -1 : valueAt;
    }

    /**
     * Adds the values of the statement's own parameters.
     *
     * @param known types of an earlier execution, if this packet has none
     * @return false if one of them is not certain, or not whole
     */
    boolean addValues(InsertedValues to, int parameters, byte @Nullable [] known) {
        byte[] types = known;
        int at = boundAt() + 1;
        if (bound()) {
            types = new byte[count * 2];
            at = afterTypes(types);
        }
        if (types == null || at < 0 || types.length < parameters * 2) {
            return false;
        }
        for (int i = 0; i < parameters; i++) {
            if ((buf.getByte(nullsAt + i / 8) & 1 << i % 8) == 0) {
                int type = types[i * 2] & 0xFF;
                int next = BinaryValues.skip(buf, at, end, type);
                if (next < 0 || !BinaryValues.addNumber(to, buf, at, next, type, types[i * 2 + 1] < 0)) {
                    return false;
                }
                at = next;
            }
        }
        return true;
    }

    private int skipValues(int from, int parameters, byte[] types) {
        int at = from;
        for (int i = 0; i < parameters && at >= 0; i++) {
            boolean isNull = (buf.getByte(nullsAt + i / 8) & 1 << i % 8) != 0;
            at = isNull ? at : BinaryValues.skip(buf, at, end, types[i * 2] & 0xFF);
        }
        return at;
    }
}
