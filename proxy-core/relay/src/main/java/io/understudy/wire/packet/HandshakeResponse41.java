package io.understudy.wire.packet;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.protocol.Capabilities;
import io.understudy.wire.LengthEncoded;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.Packets;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Protocol::HandshakeResponse41, or its first 32 bytes alone, an SSLRequest: parsed, written and rewritten.
 *
 * <p>Does not keep the authentication data, which may be the password. See {@link AuthResponseField}.
 *
 * @param capabilities with MariaDB's extended ones in the upper half
 * @param maxPacketSize longest packet that the client accepts, in bytes
 * @param collation id of the connection's collation
 * @param user login name
 * @param schema default schema, or null
 * @param authPlugin authentication method of the enclosed data, or empty
 * @param isTlsRequest whether the packet is an SSLRequest, which has no user
 */
public record HandshakeResponse41(
        long capabilities,
        long maxPacketSize,
        int collation,
        String user,
        @Nullable String schema,
        String authPlugin,
        boolean isTlsRequest) {
    private static final int FIXED = 32;
    private static final int MARIADB_CAPABILITIES = FIXED - Integer.BYTES;
    private static final int FILLER = 19;
    /** The most characters of connection attributes that are kept. */
    private static final int ATTRIBUTES = 4_096;

    /**
     * Parses the payload.
     *
     * @throws MalformedPacketException when the client uses the protocol from before 4.1, or the packet is cut off
     */
    public static HandshakeResponse41 parse(ByteBuf payload) {
        ByteBuf in = payload.duplicate();
        if (in.readableBytes() < FIXED) {
            throw new MalformedPacketException(
                    "handshake response of " + in.readableBytes() + " bytes; at least 32 are due");
        }
        long capabilities = in.readUnsignedIntLE();
        if ((capabilities & Capabilities.PROTOCOL_41) == 0) {
            throw new MalformedPacketException("client speaks the protocol from before version 4.1");
        }
        long maxPacket = in.readUnsignedIntLE();
        int collation = in.readUnsignedByte();
        in.skipBytes(FILLER);
        long extended = in.readUnsignedIntLE();
        if ((capabilities & Capabilities.LONG_PASSWORD) == 0) {
            capabilities |= extended << 32;
        }
        if (!in.isReadable()) {
            return new HandshakeResponse41(capabilities, maxPacket, collation, "", null, "", true);
        }
        String user = PacketStrings.readNul(in);
        skipAuthResponse(in, capabilities);
        String schema = optional(in, capabilities, Capabilities.CONNECT_WITH_DB);
        String plugin = optional(in, capabilities, Capabilities.PLUGIN_AUTH);
        return new HandshakeResponse41(
                capabilities, maxPacket, collation, user, schema.isEmpty() ? null : schema, plugin, false);
    }

    /** Reads a name that is there only with a capability; empty if it is not. */
    private static String optional(ByteBuf in, long capabilities, long capability) {
        return (capabilities & capability) != 0 && in.isReadable() ? PacketStrings.readNulOrRest(in) : "";
    }

    private static void skipAuthResponse(ByteBuf in, long capabilities) {
        if ((capabilities & Capabilities.PLUGIN_AUTH_LENENC_DATA) != 0) {
            int length = LengthEncoded.readLength(in);
            in.skipBytes(length);
        } else if ((capabilities & Capabilities.SECURE_CONNECTION) != 0) {
            if (!in.isReadable()) {
                throw new MalformedPacketException("handshake response ends before its authentication data");
            }
            int length = in.readUnsignedByte();
            if (length > in.readableBytes()) {
                throw new MalformedPacketException("authentication data of " + length + " bytes is cut off");
            }
            in.skipBytes(length);
        } else {
            PacketStrings.readNulOrRest(in);
        }
    }

    /**
     * Returns the index just past the connection attributes of a payload that {@link #parse} accepted: that of the zstd
     * compression level, if the client requests zstd.
     */
    public static int endOfAttributes(ByteBuf payload, long capabilities) {
        ByteBuf in = atAttributes(payload, capabilities);
        if ((capabilities & Capabilities.CONNECT_ATTRS) != 0 && in.isReadable()) {
            in.skipBytes(LengthEncoded.readLength(in));
        }
        return in.readerIndex();
    }

    /**
     * Returns the connection attributes of a payload that {@link #parse} accepted, by name: the first
     * {@link #ATTRIBUTES} characters of them; none where they are malformed.
     */
    public static Map<String, String> attributes(ByteBuf payload, long capabilities) {
        if ((capabilities & Capabilities.CONNECT_ATTRS) == 0) {
            return Map.of();
        }
        Map<String, String> attributes = new LinkedHashMap<>();
        try {
            ByteBuf rest = atAttributes(payload, capabilities);
            ByteBuf in = rest.readSlice(LengthEncoded.readLength(rest));
            int left = ATTRIBUTES;
            while (in.isReadable()) {
                String name = readString(in);
                String value = readString(in);
                left -= name.length() + value.length();
                if (left < 0) {
                    break;
                }
                attributes.put(name, value);
            }
        } catch (MalformedPacketException | IndexOutOfBoundsException malformed) {
            return Map.of();
        }
        return Collections.unmodifiableMap(attributes);
    }

    private static String readString(ByteBuf in) {
        return in.readCharSequence(LengthEncoded.readLength(in), StandardCharsets.UTF_8)
                .toString();
    }

    private static ByteBuf atAttributes(ByteBuf payload, long capabilities) {
        ByteBuf in = payload.duplicate();
        in.skipBytes(FIXED);
        PacketStrings.readNul(in);
        skipAuthResponse(in, capabilities);
        optional(in, capabilities, Capabilities.CONNECT_WITH_DB);
        optional(in, capabilities, Capabilities.PLUGIN_AUTH);
        return in;
    }

    /**
     * Returns the packet. Fields other than the user are written only if {@link #capabilities} has their bit.
     *
     * @param authResponse the method's response to the scramble in the server's HandshakeV10
     * @param attributes connection attributes, shown in the server's performance schema
     */
    public ByteBuf encode(ByteBufAllocator alloc, int sequence, byte[] authResponse, Map<String, String> attributes) {
        ByteBuf out = alloc.buffer();
        int at = Packets.begin(out, sequence);
        out.writeIntLE((int) capabilities).writeIntLE((int) maxPacketSize).writeByte(collation);
        out.writeZero(FILLER).writeIntLE(0);
        withCapabilities(out.slice(at + Packets.HEADER, FIXED), capabilities);
        if (!isTlsRequest) {
            writeString(out, user);
            if (has(Capabilities.PLUGIN_AUTH_LENENC_DATA)) {
                LengthEncoded.writeString(out, authResponse);
            } else {
                out.writeByte(authResponse.length).writeBytes(authResponse);
            }
            if (has(Capabilities.CONNECT_WITH_DB)) {
                writeString(out, schema == null ? "" : schema);
            }
            if (has(Capabilities.PLUGIN_AUTH)) {
                writeString(out, authPlugin);
            }
            if (has(Capabilities.CONNECT_ATTRS)) {
                writeAttributes(out, attributes);
            }
        }
        Packets.end(out, at);
        return out;
    }

    private boolean has(long capability) {
        return (capabilities & capability) != 0;
    }

    private static void writeString(ByteBuf out, String text) {
        out.writeBytes(text.getBytes(StandardCharsets.UTF_8)).writeByte(0);
    }

    private static void writeAttributes(ByteBuf out, Map<String, String> attributes) {
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

    /** Overwrites the capability bits of a payload that {@link #parse} accepted; nothing else changes. */
    public static void withCapabilities(ByteBuf payload, long capabilities) {
        int at = payload.readerIndex();
        payload.setIntLE(at, (int) capabilities);
        if ((capabilities & Capabilities.LONG_PASSWORD) == 0) {
            payload.setIntLE(at + MARIADB_CAPABILITIES, (int) (capabilities >>> 32));
        }
    }

    /** Returns the SSLRequest that precedes a payload that {@link #parse} accepted, as a packet of number 0. */
    public static ByteBuf tlsRequest(ByteBuf payload) {
        ByteBuf out = payload.alloc().buffer(Packets.HEADER + FIXED);
        int at = Packets.begin(out, 0);
        out.writeBytes(payload, payload.readerIndex(), FIXED);
        Packets.end(out, at);
        return out;
    }
}
