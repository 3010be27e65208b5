package io.understudy.wire.packet;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.wire.LengthEncoded;
import io.understudy.wire.Packets;
import io.understudy.wire.ServerStatus;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Takes session state out of OK packets for a client that did not ask for it, or not for all of it. What is left is, byte
 * for byte, what the server would have sent to that client.
 *
 * <p>Measured on MariaDB 10.11, 11.4 and MySQL 9: the info text has its length in front also without
 * CLIENT_SESSION_TRACK, where the MySQL documentation has it run to the end of the packet; and it is left out when empty,
 * unless session state follows.
 */
public final class SessionStateFilter {
    private final OkPacket ok = new OkPacket();
    private final long capabilities;

    /** @param capabilities of the server's side, under which the packets come */
    public SessionStateFilter(long capabilities) {
        this.capabilities = capabilities;
    }

    /** The packet for a client without CLIENT_SESSION_TRACK, header included; null when it may go as it is. */
    public @Nullable ByteBuf withoutState(ByteBufAllocator alloc, ByteBuf buf, int index, int length, int sequence) {
        ok.parse(buf, index, length, capabilities);
        boolean flagged = (ok.status() & ServerStatus.SESSION_STATE_CHANGED) != 0;
        boolean emptyInfo = ok.infoLength() == 0 && ok.infoAt() > fieldsEnd(buf, index);
        return flagged || emptyInfo ? rebuild(alloc, buf, index, sequence, null) : null;
    }

    /**
     * The packet for a client that tracks its session but did not ask for some of the entries.
     *
     * @param variables names of the variables to take out
     * @param gtids whether MySQL's GTID entries go too
     * @return with header; null when it may go as it is
     */
    public @Nullable ByteBuf without(
            ByteBufAllocator alloc,
            ByteBuf buf,
            int index,
            int length,
            int sequence,
            Set<String> variables,
            boolean gtids) {
        ok.parse(buf, index, length, capabilities);
        if (ok.stateLength() == 0) {
            return null;
        }
        ByteBuf kept = alloc.buffer(ok.stateLength());
        try {
            ByteBuf in = buf.slice(ok.stateAt(), ok.stateLength());
            while (in.isReadable()) {
                int type = in.readUnsignedByte();
                ByteBuf body = in.readSlice(LengthEncoded.readLength(in));
                if (type == SessionState.SYSTEM_VARIABLE) {
                    keepVariables(kept, body, variables);
                } else if (type != SessionState.GTIDS || !gtids) {
                    kept.writeByte(type);
                    LengthEncoded.write(kept, body.readableBytes());
                    kept.writeBytes(body);
                }
            }
            return kept.readableBytes() == ok.stateLength() ? null : rebuild(alloc, buf, index, sequence, kept);
        } finally {
            kept.release();
        }
    }

    /** An entry may hold several variables; it is written without those that go, or not at all. */
    private static void keepVariables(ByteBuf out, ByteBuf body, Set<String> variables) {
        int from = body.readerIndex();
        ByteBuf left = body.alloc().buffer(body.readableBytes());
        try {
            while (body.isReadable()) {
                int at = body.readerIndex();
                int nameLength = LengthEncoded.readLength(body);
                String name = body.toString(body.readerIndex(), nameLength, StandardCharsets.UTF_8);
                body.skipBytes(nameLength);
                if (body.isReadable()) {
                    int valueLength = LengthEncoded.readLength(body);
                    body.skipBytes(valueLength);
                }
                if (!variables.contains(name)) {
                    left.writeBytes(body, at, body.readerIndex() - at);
                }
            }
            if (left.isReadable() || body.readerIndex() == from) {
                out.writeByte(SessionState.SYSTEM_VARIABLE);
                LengthEncoded.write(out, left.readableBytes());
                out.writeBytes(left);
            }
        } finally {
            left.release();
        }
    }

    private ByteBuf rebuild(ByteBufAllocator alloc, ByteBuf buf, int index, int sequence, @Nullable ByteBuf state) {
        int fields = fieldsEnd(buf, index) - index;
        boolean hasState = state != null && state.isReadable();
        ByteBuf out =
                alloc.buffer(Packets.HEADER + fields + 18 + ok.infoLength() + (hasState ? state.readableBytes() : 0));
        int at = Packets.begin(out, sequence);
        out.writeBytes(buf, index, fields);
        if (!hasState) {
            out.setShortLE(out.writerIndex() - 4, ok.status() & ~ServerStatus.SESSION_STATE_CHANGED);
        }
        if (ok.infoLength() > 0 || hasState) {
            LengthEncoded.write(out, ok.infoLength());
            out.writeBytes(buf, ok.infoAt(), ok.infoLength());
        }
        if (hasState) {
            LengthEncoded.write(out, state.readableBytes());
            out.writeBytes(state, state.readerIndex(), state.readableBytes());
        }
        Packets.end(out, at);
        return out;
    }

    /** Where status and warnings end. */
    private static int fieldsEnd(ByteBuf buf, int index) {
        int at = index + 1;
        at += LengthEncoded.size(buf.getUnsignedByte(at));
        at += LengthEncoded.size(buf.getUnsignedByte(at));
        return at + 4;
    }
}
