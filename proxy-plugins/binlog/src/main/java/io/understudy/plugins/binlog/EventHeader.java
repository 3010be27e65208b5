package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/**
 * The common header of an event, 19 bytes: time (4), type (1), server id (4), event length (4), next position (4),
 * flags (2).
 *
 * @see <a href="https://mariadb.com/kb/en/2-binlog-event-header/">MariaDB: binlog event header</a>
 */
public final class EventHeader {
    public static final int LENGTH = 19;

    private static final int CHECKSUM = 4;
    /** Length of the server's version in a format description event. */
    private static final int VERSION = 50;

    private EventHeader() {}

    /** Returns the time in seconds since 1970. */
    public static long second(ByteBuf buf, int index) {
        return buf.getUnsignedIntLE(index);
    }

    public static int type(ByteBuf buf, int index) {
        return buf.getUnsignedByte(index + 4);
    }

    static long serverId(ByteBuf buf, int index) {
        return buf.getUnsignedIntLE(index + 5);
    }

    /** Returns the bytes of the event, header and checksum included. */
    public static long length(ByteBuf buf, int index) {
        return buf.getUnsignedIntLE(index + 9);
    }

    /** Returns the length of the checksum of the events that follow a format description event. */
    public static int checksumBytes(byte[] event) {
        return checksumBytes(Unpooled.wrappedBuffer(event), 0, event.length, event.length);
    }

    /**
     * As above, of one that may be cut off.
     *
     * @param shown bytes available from {@code index}
     * @param length of the event
     */
    static int checksumBytes(ByteBuf buf, int index, int shown, long length) {
        int version = index + LENGTH + 2;
        if (shown < LENGTH + 2 + VERSION) {
            throw new IndexOutOfBoundsException("a format description event is cut off");
        }
        String server = buf.toString(version, VERSION, StandardCharsets.ISO_8859_1);
        boolean known =
                shown == length && !server.startsWith("5.0") && !server.startsWith("5.1") && !server.startsWith("5.5.");
        // The event ends with the algorithm (0 none, 1 CRC32) and always four bytes of checksum.
        return known && buf.getByte(index + shown - 1 - CHECKSUM) == 1 ? CHECKSUM : 0;
    }
}
