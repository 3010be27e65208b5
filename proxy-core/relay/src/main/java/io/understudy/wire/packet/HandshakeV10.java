package io.understudy.wire.packet;

import io.netty.buffer.ByteBuf;
import io.understudy.protocol.Capabilities;
import io.understudy.wire.MalformedPacketException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Protocol::HandshakeV10, the server's first packet. Only its capability bits are ever changed:
 * {@link #withCapabilities} rewrites them in place and leaves scramble, thread id and version as the server sent them.
 *
 * @param serverVersion as sent, for example {@code 5.5.5-10.11.6-MariaDB}
 * @param threadId the server's thread id, the value of {@code CONNECTION_ID()}
 * @param capabilities with MariaDB's extended ones in the upper half
 * @param collation low byte of the server's default collation id
 * @param status status bits
 * @param scramble the random bytes of the authentication, without the closing zero
 * @param authPlugin default authentication method, or empty
 */
public record HandshakeV10(
        String serverVersion,
        long threadId,
        long capabilities,
        int collation,
        int status,
        byte[] scramble,
        String authPlugin) {
    public static final int PROTOCOL_VERSION = 10;
    private static final int MIN_AFTER_VERSION = 4 + 8 + 1 + 2;
    /** MariaDB before 11.3; not the Enterprise Server, which has features of later versions, and not MaxScale. */
    private static final Pattern WITHOUT_REDIRECT =
            Pattern.compile("(?!.*(?i:enterprise|maxscale))(5\\.5\\.5-)?(10|11\\.[0-2])\\..*");

    /**
     * Parses the payload.
     *
     * @throws MalformedPacketException when it is not a HandshakeV10
     */
    public static HandshakeV10 parse(ByteBuf payload) {
        ByteBuf in = payload.duplicate();
        if (!in.isReadable() || in.readUnsignedByte() != PROTOCOL_VERSION) {
            throw new MalformedPacketException("handshake packet is not of protocol version 10");
        }
        String version = PacketStrings.readNul(in);
        if (in.readableBytes() < MIN_AFTER_VERSION) {
            throw new MalformedPacketException("handshake packet is cut off after the version");
        }
        long threadId = in.readUnsignedIntLE();
        byte[] first = new byte[8];
        in.readBytes(first);
        in.skipBytes(1);
        long capabilities = in.readUnsignedShortLE();
        int collation = 0;
        int status = 0;
        byte[] second = new byte[0];
        String plugin = "";
        if (in.readableBytes() >= 16) {
            collation = in.readUnsignedByte();
            status = in.readUnsignedShortLE();
            capabilities |= (long) in.readUnsignedShortLE() << 16;
            int scrambleLength = in.readUnsignedByte();
            in.skipBytes(6);
            long extended = in.readUnsignedIntLE();
            if ((capabilities & Capabilities.LONG_PASSWORD) == 0) {
                capabilities |= extended << 32;
            }
            if ((capabilities & Capabilities.SECURE_CONNECTION) != 0) {
                int length = Math.min(Math.max(12, scrambleLength - 9), in.readableBytes());
                second = new byte[length];
                in.readBytes(second);
                if (in.isReadable() && in.getByte(in.readerIndex()) == 0) {
                    in.skipBytes(1);
                }
            }
            if ((capabilities & Capabilities.PLUGIN_AUTH) != 0 && in.isReadable()) {
                plugin = PacketStrings.readNulOrRest(in);
            }
        }
        byte[] scramble = new byte[first.length + second.length];
        System.arraycopy(first, 0, scramble, 0, first.length);
        System.arraycopy(second, 0, scramble, first.length, second.length);
        return new HandshakeV10(version, threadId, capabilities, collation, status, scramble, plugin);
    }

    /** Returns whether the version names MariaDB, or the bit that every MySQL server sets is missing. */
    public boolean isMariaDb() {
        return (capabilities & Capabilities.LONG_PASSWORD) == 0
                || serverVersion.toLowerCase(java.util.Locale.ROOT).contains("mariadb");
    }

    /** Returns whether the server may report {@code redirect_url}: MariaDB does from 11.3 on. */
    public boolean mayRedirect() {
        return isMariaDb() && !WITHOUT_REDIRECT.matcher(serverVersion).matches();
    }

    /** Overwrites the capability bits in a payload that {@link #parse} accepted; its length stays the same. */
    public static void withCapabilities(ByteBuf payload, long capabilities) {
        int at = payload.readerIndex();
        int versionEnd = payload.indexOf(at + 1, payload.writerIndex(), (byte) 0);
        int lower = versionEnd + 1 + 4 + 8 + 1;
        payload.setShortLE(lower, (int) capabilities);
        int upper = lower + 2 + 1 + 2;
        if (payload.writerIndex() >= upper + 2 + 1 + 10) {
            payload.setShortLE(upper, (int) (capabilities >>> 16));
            if ((capabilities & Capabilities.LONG_PASSWORD) == 0) {
                payload.setIntLE(upper + 2 + 1 + 6, (int) (capabilities >>> 32));
            }
        }
    }

    /** Shows the length of the scramble instead of its bytes, which must not be logged. */
    @Override
    public String toString() {
        return "HandshakeV10[" + serverVersion + ", thread " + threadId + ", "
                + new String(authPlugin.getBytes(StandardCharsets.US_ASCII), StandardCharsets.US_ASCII) + "]";
    }
}
