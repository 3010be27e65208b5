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
    /** In place of a number of bytes: the whole entry. */
    private static final int ENTRY = Integer.MAX_VALUE;

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
        int end = ok.stateAt() + ok.stateLength();
        ByteBuf kept = null; // stays so after nearly every commit
        try {
            int next;
            for (int at = ok.stateAt(); at < end; at = next) {
                next = LengthEncoded.behind(buf, at + 1, end);
                int type = buf.getByte(at);
                int left = type == SessionState.SYSTEM_VARIABLE
                        ? bytesLeft(buf, at, next, variables)
                        : type == SessionState.GTIDS && gtids ? 0 : ENTRY;
                if (left > 0) {
                    ByteBuf out = kept == null ? alloc.buffer(ok.stateLength()) : kept;
                    kept = out;
                    if (left == ENTRY) {
                        out.writeBytes(buf, at, next - at);
                    } else {
                        copyVariables(buf, at, next, variables, left, out);
                    }
                }
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

    /**
     * Returns how many bytes the variables of an entry, which may hold several, have without those to remove;
     * {@link #ENTRY} if none is to be removed.
     */
    private static int bytesLeft(ByteBuf buf, int at, int next, List<String> variables) {
        int left = 0;
        int body = LengthEncoded.content(buf, at + 1);
        int behind;
        for (int variable = body; variable < next; variable = behind) {
            int value = LengthEncoded.behind(buf, variable, next);
            behind = value < next ? LengthEncoded.behind(buf, value, next) : value;
            left += goes(buf, variable, value, variables) ? 0 : behind - variable;
        }
        return left == next - body ? ENTRY : left;
    }

    private static void copyVariables(ByteBuf buf, int at, int next, List<String> variables, int left, ByteBuf out) {
        out.writeByte(SessionState.SYSTEM_VARIABLE);
        LengthEncoded.write(out, left);
        int behind;
        for (int variable = LengthEncoded.content(buf, at + 1); variable < next; variable = behind) {
            int value = LengthEncoded.behind(buf, variable, next);
            behind = value < next ? LengthEncoded.behind(buf, value, next) : value;
            if (!goes(buf, variable, value, variables)) {
                out.writeBytes(buf, variable, behind - variable);
            }
        }
    }

    /** Returns whether the variable whose name lies there is to be removed. */
    private static boolean goes(ByteBuf buf, int from, int end, List<String> variables) {
        int name = LengthEncoded.content(buf, from);
        for (int i = 0; i < variables.size(); i++) {
            if (SessionState.is(buf, name, end - name, variables.get(i))) {
                return true;
            }
        }
        return false;
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
