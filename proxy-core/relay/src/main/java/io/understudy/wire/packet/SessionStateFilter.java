package io.understudy.wire.packet;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.protocol.ServerStatus;
import io.understudy.wire.LengthEncoded;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.Packets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Removes session state from OK packets for a client that did not request it, or not all of it. The result is, byte for
 * byte, the packet that the server would have sent to that client.
 *
 * <p>Measured on MariaDB 10.11, 11.4 and MySQL 9: the info text has a length prefix even without CLIENT_SESSION_TRACK,
 * although the MySQL documentation lets it run to the end of the packet; and it is left out when empty, unless session
 * state follows.
 */
public final class SessionStateFilter {
    /** The largest length that is encoded in one byte. */
    private static final int MAX_SHORT = 250;

    private final OkPacket ok = new OkPacket();
    private final long capabilities;

    /** @param capabilities those of the connection to the server, on which the packets arrive */
    public SessionStateFilter(long capabilities) {
        this.capabilities = capabilities;
    }

    /**
     * Returns the packet, with its header, for a client without CLIENT_SESSION_TRACK, or null when it needs no change.
     * The returned buffer shares the bytes of {@code buf}, which are modified in place.
     *
     * @param index index of the payload; the header precedes it
     */
    public @Nullable ByteBuf withoutState(ByteBuf buf, int index, int length, int sequence) {
        ok.parse(buf, index, length, capabilities);
        boolean flagged = (ok.status() & ServerStatus.SESSION_STATE_CHANGED) != 0;
        boolean emptyInfo = ok.infoLength() == 0 && ok.infoAt() > fieldsEnd(buf, index);
        return flagged || emptyInfo ? cut(buf, index, sequence) : null;
    }

    /**
     * Returns whether an OK packet directs the client to another address, see {@link SessionState#REDIRECT_URL}.
     *
     * @param index index of the payload
     * @throws MalformedPacketException when an entry exceeds the block
     */
    public boolean redirects(ByteBuf buf, int index, int length) {
        ok.parse(buf, index, length, capabilities);
        return SessionState.sets(buf, ok.stateAt(), ok.stateLength(), SessionState.REDIRECT_URL);
    }

    /**
     * Returns the packet, with its header, for a client that tracks its session but did not request some of the
     * entries, or null when it needs no change. If no entry remains, the returned buffer shares the bytes of
     * {@code buf}, which are modified in place.
     *
     * @param index index of the payload; the header precedes it
     * @param variables names of the variables to remove
     * @param gtids whether to remove MySQL's GTID entries, too
     * @throws MalformedPacketException when an entry exceeds the block
     */
    public @Nullable ByteBuf without(
            ByteBufAllocator alloc,
            ByteBuf buf,
            int index,
            int length,
            int sequence,
            List<String> variables,
            boolean gtids) {
        ok.parse(buf, index, length, capabilities);
        if (ok.stateLength() == 0) {
            return null;
        }
        if (allGo(buf, ok.stateAt(), ok.stateAt() + ok.stateLength(), variables, gtids)) {
            return cut(buf, index, sequence);
        }
        ByteBuf kept = null;
        try {
            ByteBuf in = buf.slice(ok.stateAt(), ok.stateLength());
            while (in.isReadable()) {
                int entry = in.readerIndex();
                int type = in.readUnsignedByte();
                int size = LengthEncoded.readLength(in);
                int body = in.readerIndex();
                int end = body + size;
                boolean variable = type == SessionState.SYSTEM_VARIABLE;
                boolean whole = variable ? keepsAll(in, end, variables) : type != SessionState.GTIDS || !gtids;
                if (whole) {
                    kept = kept == null ? alloc.buffer(ok.stateLength()) : kept;
                    kept.writeBytes(in, entry, end - entry);
                } else if (variable) {
                    in.readerIndex(body);
                    kept = keepSome(alloc, kept, in, end, variables);
                }
                in.readerIndex(end);
            }
            if (kept == null) {
                return cut(buf, index, sequence);
            }
            return kept.readableBytes() == ok.stateLength() ? null : rebuild(alloc, buf, index, sequence, kept);
        } finally {
            if (kept != null) {
                kept.release();
            }
        }
    }

    /** Returns true if no entry remains, as after nearly every commit; false also if that is not certain. */
    private static boolean allGo(ByteBuf buf, int from, int end, List<String> variables, boolean gtids) {
        int at = from;
        while (at < end) {
            int type = buf.getByte(at);
            int next = behind(buf, at + 1, end);
            if (next < 0 || type != SessionState.SYSTEM_VARIABLE && !(type == SessionState.GTIDS && gtids)) {
                return false;
            }
            int variable = type == SessionState.SYSTEM_VARIABLE ? at + 2 : next;
            while (variable < next) {
                int value = behind(buf, variable, next);
                if (value < 0 || !isOneOf(variables, buf, variable + 1, value - variable - 1)) {
                    return false;
                }
                variable = behind(buf, value, next);
                if (variable < 0) {
                    return false;
                }
            }
            at = next;
        }
        return true;
    }

    /**
     * Returns the index just past the length-encoded string at {@code at}; -1 if its length takes more than one byte or
     * exceeds the end.
     */
    private static int behind(ByteBuf buf, int at, int end) {
        int length = at < end ? buf.getUnsignedByte(at) : end;
        return length > MAX_SHORT || at + 1 + length > end ? -1 : at + 1 + length;
    }

    private static boolean isOneOf(List<String> variables, ByteBuf buf, int index, int length) {
        for (int i = 0; i < variables.size(); i++) {
            if (SessionState.is(buf, index, length, variables.get(i))) {
                return true;
            }
        }
        return false;
    }

    private static boolean keepsAll(ByteBuf in, int end, List<String> variables) {
        while (in.readerIndex() < end) {
            if (goes(in, end, variables)) {
                return false;
            }
        }
        return true;
    }

    /** Reads a variable's name and value, and returns whether it is to be removed. */
    private static boolean goes(ByteBuf in, int end, List<String> variables) {
        int length = LengthEncoded.readLength(in);
        boolean named = isOneOf(variables, in, in.readerIndex(), length);
        in.skipBytes(length);
        if (in.readerIndex() < end) {
            int valueLength = LengthEncoded.readLength(in);
            in.skipBytes(valueLength);
        }
        if (in.readerIndex() > end) {
            throw new MalformedPacketException("a variable in a session state entry reaches beyond it");
        }
        return named;
    }

    /** Copies an entry without the removed variables; an entry may hold several. Copies nothing if none remains. */
    private static @Nullable ByteBuf keepSome(
            ByteBufAllocator alloc, @Nullable ByteBuf kept, ByteBuf in, int end, List<String> variables) {
        ByteBuf left = null;
        try {
            while (in.readerIndex() < end) {
                int at = in.readerIndex();
                if (!goes(in, end, variables)) {
                    left = left == null ? alloc.buffer(end - at) : left;
                    left.writeBytes(in, at, in.readerIndex() - at);
                }
            }
            if (left == null) {
                return kept;
            }
            ByteBuf out = kept == null ? alloc.buffer() : kept;
            out.writeByte(SessionState.SYSTEM_VARIABLE);
            LengthEncoded.write(out, left.readableBytes());
            out.writeBytes(left);
            return out;
        } finally {
            if (left != null) {
                left.release();
            }
        }
    }

    /** Returns the packet without session state, as a slice: the fields before it remain valid unchanged. */
    private ByteBuf cut(ByteBuf buf, int index, int sequence) {
        int fields = fieldsEnd(buf, index);
        int end = ok.infoLength() > 0 ? ok.infoAt() + ok.infoLength() : fields;
        buf.setShortLE(fields - 4, ok.status() & ~ServerStatus.SESSION_STATE_CHANGED);
        int header = index - Packets.HEADER;
        buf.setIntLE(header, sequence << 24 | end - index);
        return buf.retainedSlice(header, end - header);
    }

    private ByteBuf rebuild(ByteBufAllocator alloc, ByteBuf buf, int index, int sequence, ByteBuf state) {
        int fields = fieldsEnd(buf, index) - index;
        ByteBuf out = alloc.buffer(Packets.HEADER + fields + 18 + ok.infoLength() + state.readableBytes());
        int at = Packets.begin(out, sequence);
        out.writeBytes(buf, index, fields);
        LengthEncoded.write(out, ok.infoLength());
        out.writeBytes(buf, ok.infoAt(), ok.infoLength());
        LengthEncoded.write(out, state.readableBytes());
        out.writeBytes(state, state.readerIndex(), state.readableBytes());
        Packets.end(out, at);
        return out;
    }

    /** Returns the index just past status and warnings. */
    private static int fieldsEnd(ByteBuf buf, int index) {
        int at = index + 1;
        at += LengthEncoded.size(buf.getUnsignedByte(at));
        at += LengthEncoded.size(buf.getUnsignedByte(at));
        return at + 4;
    }
}
