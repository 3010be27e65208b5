package io.understudy.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.protocol.CommandCode;

/** Writes packet headers of 4 bytes: three of length, one of sequence number. */
public final class Packets {
    public static final int HEADER = 4;
    /** A physical packet of this length is continued by the next one. */
    public static final int MAX_PAYLOAD = 0xFF_FFFF;

    private Packets() {}

    /** Begins a packet and returns the index of its header. {@link #end} fills in the length. */
    public static int begin(ByteBuf out, int sequence) {
        int at = out.writerIndex();
        out.writeMediumLE(0).writeByte(sequence);
        return at;
    }

    /** Fills in the length of the packet begun at {@code at}. The payload must be shorter than 16 MB. */
    public static void end(ByteBuf out, int at) {
        int length = out.writerIndex() - at - HEADER;
        if (length >= MAX_PAYLOAD) {
            throw new IllegalArgumentException("payload of " + length + " bytes does not fit one packet");
        }
        out.setMediumLE(at, length);
    }

    /** Returns a packet of that payload. */
    public static ByteBuf of(ByteBufAllocator alloc, int sequence, byte[] payload) {
        ByteBuf out = alloc.buffer(HEADER + payload.length);
        int at = begin(out, sequence);
        out.writeBytes(payload);
        end(out, at);
        return out;
    }

    /** Returns a command packet, sequence number 0. */
    public static ByteBuf command(ByteBufAllocator alloc, int code, byte[] body) {
        ByteBuf out = alloc.buffer(HEADER + 1 + body.length);
        int at = begin(out, 0);
        out.writeByte(code).writeBytes(body);
        end(out, at);
        return out;
    }

    /**
     * Returns a COM_QUERY packet, sequence number 0.
     *
     * @param attributes whether the connection has agreed on query attributes, of which there are none
     */
    public static ByteBuf query(ByteBufAllocator alloc, byte[] text, boolean attributes) {
        ByteBuf out = alloc.buffer(HEADER + 3 + text.length);
        int at = begin(out, 0);
        out.writeByte(CommandCode.QUERY);
        if (attributes) {
            out.writeByte(0).writeByte(1); // one set of them
        }
        out.writeBytes(text);
        end(out, at);
        return out;
    }
}
