package io.understudy.wire.packet;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.ServerStatus;
import io.understudy.wire.LengthEncoded;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.Marker;
import io.understudy.wire.Packets;

/**
 * A parsed OK_Packet, reusable: parsing allocates nothing. Also parses the OK_Packet with header 0xFE that ends rows
 * under {@link Capabilities#DEPRECATE_EOF}. Session state is only located, see {@link SessionState}.
 */
public final class OkPacket {
    private long affectedRows;
    private long insertId;
    private int status;
    private int infoAt;
    private int infoLength;
    private int stateAt;
    private int stateLength;

    private int at;
    private int end;

    /**
     * Parses {@code length} bytes of payload from {@code index}.
     *
     * @throws MalformedPacketException when a field is cut off
     */
    public void parse(ByteBuf buf, int index, int length, long capabilities) {
        at = index + 1;
        end = index + length;
        affectedRows = integer(buf);
        insertId = integer(buf);
        if (end - at < 4) {
            throw new MalformedPacketException(
                    MalformedPacketException.Kind.OK_PACKET, "OK packet ends before its status bits");
        }
        status = buf.getUnsignedShortLE(at);
        at += 4;
        infoAt = at;
        infoLength = end - at;
        stateAt = 0;
        stateLength = 0;
        if ((capabilities & Capabilities.SESSION_TRACK) != 0 && at < end) {
            infoLength = lengthOf(buf);
            infoAt = at;
            at += infoLength;
            if ((status & ServerStatus.SESSION_STATE_CHANGED) != 0 && at < end) {
                stateLength = lengthOf(buf);
                stateAt = at;
            }
        }
    }

    /** Returns an OK_Packet without warnings, info and session state, which is the same for all capabilities. */
    public static ByteBuf encode(ByteBufAllocator alloc, int sequence, long affectedRows, long insertId, int status) {
        ByteBuf out = alloc.buffer(Packets.HEADER + 23);
        int at = Packets.begin(out, sequence);
        out.writeByte(Marker.OK);
        LengthEncoded.write(out, affectedRows);
        LengthEncoded.write(out, insertId);
        out.writeShortLE(status).writeShortLE(0);
        Packets.end(out, at);
        return out;
    }

    private long integer(ByteBuf buf) {
        int size = at < end ? LengthEncoded.size(buf.getUnsignedByte(at)) : 1;
        if (at + size > end) {
            throw new MalformedPacketException(MalformedPacketException.Kind.OK_PACKET, "OK packet is cut off");
        }
        long value = LengthEncoded.get(buf, at);
        at += size;
        return value;
    }

    private int lengthOf(ByteBuf buf) {
        long value = integer(buf);
        if (value < 0 || value > end - at) {
            throw new MalformedPacketException(
                    "OK packet names a length of " + value + " where " + (end - at) + " bytes follow");
        }
        return (int) value;
    }

    /** Returns the last insert id; 0 if there is none. */
    public long insertId() {
        return insertId;
    }

    /** Returns the number of affected rows. */
    public long affectedRows() {
        return affectedRows;
    }

    /** Returns the bits of {@link io.understudy.protocol.ServerStatus}. */
    public int status() {
        return status;
    }

    /** Returns the index of the human-readable info in the parsed buffer. */
    public int infoAt() {
        return infoAt;
    }

    /** Returns the length of the info in bytes. */
    public int infoLength() {
        return infoLength;
    }

    /** Returns the index of the session state in the parsed buffer; valid when {@link #stateLength} is not 0. */
    public int stateAt() {
        return stateAt;
    }

    /** Returns the length of the session state in bytes, 0 if there is none. */
    public int stateLength() {
        return stateLength;
    }
}
