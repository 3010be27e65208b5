package io.understudy.wire.packet;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.wire.Marker;
import io.understudy.wire.Packets;
import java.nio.charset.StandardCharsets;

/**
 * An ERR packet, received from a server or written by the proxy.
 *
 * @param code error number, for example 1040
 * @param sqlState five characters; {@code HY000} when the server sent none
 * @param message for people
 */
public record ErrPacket(int code, String sqlState, String message) {
    private static final int STATE_LENGTH = 5;

    /**
     * Parses {@code length} bytes of payload from {@code index}. Tolerates missing fields, because an error must always
     * get through.
     */
    public static ErrPacket parse(ByteBuf buf, int index, int length) {
        if (length < 3) {
            return new ErrPacket(0, "HY000", "");
        }
        int code = buf.getUnsignedShortLE(index + 1);
        int at = index + 3;
        int left = length - 3;
        String state = "HY000";
        if (left > STATE_LENGTH && buf.getByte(at) == '#') {
            state = buf.toString(at + 1, STATE_LENGTH, StandardCharsets.US_ASCII);
            at += STATE_LENGTH + 1;
            left -= STATE_LENGTH + 1;
        }
        return new ErrPacket(code, state, buf.toString(at, left, StandardCharsets.UTF_8));
    }

    /** Returns the error for people, as {@code error 1040 (08004) Too many connections}. */
    public String text() {
        return "error " + code + " (" + sqlState + ") " + message;
    }

    /**
     * Returns the packet. Before the client's capabilities are known it must have no SQLSTATE: {@code protocol41} is
     * then false.
     */
    public ByteBuf encode(ByteBufAllocator alloc, int sequence, boolean protocol41) {
        byte[] text = message.getBytes(StandardCharsets.UTF_8);
        ByteBuf out = alloc.buffer(Packets.HEADER + 16 + text.length);
        int at = Packets.begin(out, sequence);
        out.writeByte(Marker.ERR).writeShortLE(code);
        if (protocol41) {
            out.writeByte('#').writeBytes(sqlState.getBytes(StandardCharsets.US_ASCII));
        }
        out.writeBytes(text);
        Packets.end(out, at);
        return out;
    }
}
