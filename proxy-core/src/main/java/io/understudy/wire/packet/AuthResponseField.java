package io.understudy.wire.packet;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.Capabilities;
import io.understudy.wire.LengthEncoded;
import java.nio.charset.StandardCharsets;

/**
 * Where the first word of the client's authentication method stands in the packet that names the user: Protocol::
 * HandshakeResponse41 or COM_CHANGE_USER. Offsets count from the payload's first byte.
 *
 * @param lengthAt where the answer's length begins
 * @param from first byte of the answer
 * @param end behind the answer
 * @param pluginFrom first byte of the method's name; as {@code pluginEnd} when there is none
 * @param pluginEnd behind the method's name, where its closing zero is
 */
public record AuthResponseField(int lengthAt, int from, int end, int pluginFrom, int pluginEnd) {
    private static final int HANDSHAKE_FIXED = 32;

    /** In a handshake response that {@link HandshakeResponse41#parse} accepted. */
    public static AuthResponseField ofHandshake(ByteBuf payload, long capabilities) {
        ByteBuf in = payload.slice();
        in.skipBytes(HANDSHAKE_FIXED);
        PacketStrings.readNul(in);
        boolean lenenc = (capabilities & Capabilities.PLUGIN_AUTH_LENENC_DATA) != 0;
        return of(in, capabilities, lenenc, 0);
    }

    /**
     * In COM_CHANGE_USER, command code included.
     *
     * @throws io.understudy.wire.MalformedPacketException when the packet is cut off
     */
    public static AuthResponseField ofChangeUser(ByteBuf payload, long capabilities) {
        ByteBuf in = payload.slice();
        in.skipBytes(1);
        PacketStrings.readNul(in);
        return of(in, capabilities | Capabilities.CONNECT_WITH_DB, false, 2);
    }

    /** @param collation bytes between the schema and the method's name */
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

    /** Bytes of the answer. */
    public int length() {
        return end - from;
    }

    /** Name of the method, or empty. */
    public String plugin(ByteBuf payload) {
        return payload.toString(payload.readerIndex() + pluginFrom, pluginEnd - pluginFrom, StandardCharsets.US_ASCII);
    }

    /** The answer, which is overwritten in the payload. */
    public byte[] take(ByteBuf payload) {
        byte[] response = new byte[length()];
        payload.getBytes(payload.readerIndex() + from, response);
        payload.setZero(payload.readerIndex() + from, length());
        return response;
    }

    /** The same payload with another answer, of one byte. */
    public byte[] with(ByteBuf payload, byte response) {
        ByteBuf in = payload.slice();
        byte[] out = new byte[lengthAt + 2 + in.readableBytes() - end];
        in.readBytes(out, 0, lengthAt);
        out[lengthAt] = 1;
        out[lengthAt + 1] = response;
        in.getBytes(end, out, lengthAt + 2, out.length - lengthAt - 2);
        return out;
    }

    /** The same payload with an empty answer of no method. */
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
