package io.understudy.wire.packet;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.wire.Capabilities;
import io.understudy.wire.LengthEncoded;
import io.understudy.wire.Packets;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Our own Protocol::HandshakeResponse41, as sent on connections of the proxy's own, and its first 32 bytes alone: the
 * request for TLS that precedes it. Fields are written only where {@code capabilities} has their bit.
 *
 * @param capabilities MySQL's half; MariaDB's extended bits are not used
 * @param collation id of the connection's collation, at most 255
 * @param authResponse the method's answer to the greeting's scramble
 * @param authPlugin the method it belongs to
 * @param attributes connection attributes, shown in the server's performance schema
 */
public record HandshakeResponse41Writer(
        long capabilities,
        int collation,
        String user,
        byte[] authResponse,
        String authPlugin,
        Map<String, String> attributes) {
    /** What we say we accept; servers take it as a limit for the connection's packets. */
    private static final int MAX_PACKET = 1 << 30;

    private static final int FILLER = 23;

    /** The 32 bytes that ask for TLS; {@link Capabilities#SSL} is set. */
    public static ByteBuf tlsRequest(ByteBufAllocator alloc, int sequence, long capabilities, int collation) {
        ByteBuf out = alloc.buffer();
        int at = Packets.begin(out, sequence);
        fixed(out, capabilities | Capabilities.SSL, collation);
        Packets.end(out, at);
        return out;
    }

    public ByteBuf encode(ByteBufAllocator alloc, int sequence) {
        ByteBuf out = alloc.buffer();
        int at = Packets.begin(out, sequence);
        fixed(out, capabilities, collation);
        out.writeBytes(user.getBytes(StandardCharsets.UTF_8)).writeByte(0);
        if (has(Capabilities.PLUGIN_AUTH_LENENC_DATA)) {
            LengthEncoded.writeString(out, authResponse);
        } else {
            out.writeByte(authResponse.length).writeBytes(authResponse);
        }
        if (has(Capabilities.PLUGIN_AUTH)) {
            out.writeBytes(authPlugin.getBytes(StandardCharsets.UTF_8)).writeByte(0);
        }
        if (has(Capabilities.CONNECT_ATTRS)) {
            writeAttributes(out);
        }
        Packets.end(out, at);
        return out;
    }

    private static void fixed(ByteBuf out, long capabilities, int collation) {
        out.writeIntLE((int) capabilities).writeIntLE(MAX_PACKET).writeByte(collation);
        out.writeZero(FILLER);
    }

    private boolean has(long capability) {
        return (capabilities & capability) != 0;
    }

    private void writeAttributes(ByteBuf out) {
        ByteBuf block = out.alloc().buffer();
        try {
            attributes.forEach((name, value) -> {
                LengthEncoded.writeString(block, name.getBytes(StandardCharsets.UTF_8));
                LengthEncoded.writeString(block, value.getBytes(StandardCharsets.UTF_8));
            });
            LengthEncoded.write(out, block.readableBytes());
            out.writeBytes(block);
        } finally {
            block.release();
        }
    }

    /** Never the answer's bytes: with some methods they are the password. */
    @Override
    public String toString() {
        return "HandshakeResponse[" + user + ", " + authPlugin + "]";
    }
}
