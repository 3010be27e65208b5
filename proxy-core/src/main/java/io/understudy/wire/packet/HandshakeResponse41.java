package io.understudy.wire.packet;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.Capabilities;
import io.understudy.wire.LengthEncoded;
import io.understudy.wire.MalformedPacketException;
import org.jspecify.annotations.Nullable;

/**
 * The client's answer to the greeting: Protocol::HandshakeResponse41, or its first 32 bytes alone, which ask for TLS
 * ({@link #isTlsRequest}).
 *
 * @param capabilities with MariaDB's extended ones in the upper half
 * @param maxPacketSize what the client says it accepts, bytes
 * @param collation id of the connection's collation: character set and sort order of what the client sends
 * @param user login name
 * @param schema default schema, or null
 * @param authPlugin authentication method of the enclosed answer, or empty
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

    /**
     * Parses the payload.
     *
     * @throws MalformedPacketException when the client speaks the protocol from before 4.1, or the packet is cut off
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
        in.skipBytes(19);
        long extended = in.readUnsignedIntLE();
        if ((capabilities & Capabilities.LONG_PASSWORD) == 0) {
            capabilities |= extended << 32;
        }
        if (!in.isReadable()) {
            return new HandshakeResponse41(capabilities, maxPacket, collation, "", null, "", true);
        }
        String user = PacketStrings.readNul(in);
        skipAuthResponse(in, capabilities);
        String schema = null;
        if ((capabilities & Capabilities.CONNECT_WITH_DB) != 0 && in.isReadable()) {
            schema = PacketStrings.readNulOrRest(in);
        }
        String plugin = "";
        if ((capabilities & Capabilities.PLUGIN_AUTH) != 0 && in.isReadable()) {
            plugin = PacketStrings.readNulOrRest(in);
        }
        return new HandshakeResponse41(
                capabilities,
                maxPacket,
                collation,
                user,
                schema == null || schema.isEmpty() ? null : schema,
                plugin,
                false);
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
     * Index behind the connection attributes of a payload that {@link #parse} accepted: where the level of zstd
     * compression stands when the client asks for that.
     */
    public static int endOfAttributes(ByteBuf payload, long capabilities) {
        ByteBuf in = payload.duplicate();
        in.skipBytes(FIXED);
        PacketStrings.readNul(in);
        skipAuthResponse(in, capabilities);
        if ((capabilities & Capabilities.CONNECT_WITH_DB) != 0 && in.isReadable()) {
            PacketStrings.readNulOrRest(in);
        }
        if ((capabilities & Capabilities.PLUGIN_AUTH) != 0 && in.isReadable()) {
            PacketStrings.readNulOrRest(in);
        }
        if ((capabilities & Capabilities.CONNECT_ATTRS) != 0 && in.isReadable()) {
            in.skipBytes(LengthEncoded.readLength(in));
        }
        return in.readerIndex();
    }

    /** Overwrites the capability bits of a payload that {@link #parse} accepted; nothing else changes. */
    public static void withCapabilities(ByteBuf payload, long capabilities) {
        int at = payload.readerIndex();
        payload.setIntLE(at, (int) capabilities);
        if ((capabilities & Capabilities.LONG_PASSWORD) == 0) {
            payload.setIntLE(at + FIXED - 4, (int) (capabilities >>> 32));
        }
    }
}
