package io.understudy.wire.packet;

import io.netty.buffer.ByteBuf;
import io.understudy.protocol.Capabilities;
import io.understudy.wire.LengthEncoded;
import java.nio.charset.StandardCharsets;

/**
 * Location of the client's first authentication response in the packet that names the user:
 * Protocol::HandshakeResponse41 or COM_CHANGE_USER. Offsets count from the payload's first byte.
 *
 * @param lengthAt offset of the response's length
 * @param from offset of the response's first byte
 * @param end offset just past the response
 * @param pluginFrom offset of the method's name; equals {@code pluginEnd} when there is none
 * @param pluginEnd offset just past the method's name, of its closing zero
 */
public record AuthResponseField(int lengthAt, int from, int end, int pluginFrom, int pluginEnd) {
    private static final int HANDSHAKE_FIXED = 32;

    /** Returns the location in a payload that {@link HandshakeResponse41#parse} accepted. */
    public static AuthResponseField ofHandshake(ByteBuf payload, long capabilities) {
        ByteBuf in = payload.slice();
        in.skipBytes(HANDSHAKE_FIXED);
        PacketStrings.readNul(in);
        boolean lenenc = (capabilities & Capabilities.PLUGIN_AUTH_LENENC_DATA) != 0;
        return of(in, capabilities, lenenc, 0);
    }

    /**
     * Returns the location in a COM_CHANGE_USER, whose payload includes the command code.
     *
     * @throws io.understudy.wire.MalformedPacketException when the packet is cut off
     */
    public static AuthResponseField ofChangeUser(ByteBuf payload, long capabilities) {
        ByteBuf in = payload.slice();
        in.skipBytes(1);
        PacketStrings.readNul(in);
        return of(in, capabilities | Capabilities.CONNECT_WITH_DB, false, 2);
    }

    /** @param collation number of bytes between the schema and the method's name */
    private static AuthResponseField of(ByteBuf in, long capabilities, boolean lenenc, int collation) {
        int lengthAt = in.readerIndex();
        if (!in.isReadable() || !lenenc && (capabilities & Capabilities.SECURE_CONNECTION) == 0) {
            int end = in.writerIndex();
            return new AuthResponseField(lengthAt, lengthAt, lengthAt, end, end);
        }
        int length = lenenc ? LengthEncoded.readLength(in) : in.readUnsignedByte();
        int from = in.readerIndex();
        PacketStrings.skip(in, length);
        int end = in.readerIndex();
        if ((capabilities & Capabilities.CONNECT_WITH_DB) != 0 && in.isReadable()) {
            PacketStrings.readNulOrRest(in);
        }
        in.skipBytes(Math.min(collation, in.readableBytes()));
        int pluginFrom = in.readerIndex();
        int pluginEnd = pluginFrom;
        if ((capabilities & Capabilities.PLUGIN_AUTH) != 0 && in.isReadable()) {
            int zero = in.indexOf(pluginFrom, in.writerIndex(), (byte) 0);
            pluginEnd = zero < 0 ? in.writerIndex() : zero;
        }
        return new AuthResponseField(lengthAt, from, end, pluginFrom, pluginEnd);
    }

    /** Returns the length of the response in bytes. */
    public int length() {
        return end - from;
    }

    /** Returns the name of the method, or an empty string. */
    public String plugin(ByteBuf payload) {
        return payload.toString(payload.readerIndex() + pluginFrom, pluginEnd - pluginFrom, StandardCharsets.US_ASCII);
    }

    /** Returns the response and overwrites it with zeros in the payload. */
    public byte[] take(ByteBuf payload) {
        byte[] response = new byte[length()];
        payload.getBytes(payload.readerIndex() + from, response);
        payload.setZero(payload.readerIndex() + from, length());
        return response;
    }

    /** Returns a copy of the payload with another response, of one byte. */
    public byte[] with(ByteBuf payload, byte response) {
        ByteBuf in = payload.slice();
        byte[] out = new byte[lengthAt + 2 + in.readableBytes() - end];
        in.readBytes(out, 0, lengthAt);
        out[lengthAt] = 1;
        out[lengthAt + 1] = response;
        in.getBytes(end, out, lengthAt + 2, out.length - lengthAt - 2);
        return out;
    }

    /** Returns a copy of the payload with an empty response and an empty method name. */
    public byte[] without(ByteBuf payload) {
        ByteBuf in = payload.slice();
        int between = pluginFrom - end;
        byte[] out = new byte[lengthAt + 1 + between + in.readableBytes() - pluginEnd];
        in.readBytes(out, 0, lengthAt);
        in.getBytes(end, out, lengthAt + 1, between);
        in.getBytes(pluginEnd, out, lengthAt + 1 + between, in.writerIndex() - pluginEnd);
        return out;
    }
}
