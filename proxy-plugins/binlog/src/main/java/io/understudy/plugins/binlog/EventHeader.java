package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;

/**
 * The common header of an event, 19 bytes: time (4), type (1), server id (4), event length (4), next position (4),
 * flags (2).
 *
 * @see <a href="https://mariadb.com/kb/en/2-binlog-event-header/">MariaDB: binlog event header</a>
 */
final class EventHeader {
    static final int LENGTH = 19;

    private EventHeader() {}

    /** Returns the time in seconds since 1970. */
    static long second(ByteBuf buf, int index) {
        return buf.getUnsignedIntLE(index);
    }

    static int type(ByteBuf buf, int index) {
        return buf.getUnsignedByte(index + 4);
    }

    static long serverId(ByteBuf buf, int index) {
        return buf.getUnsignedIntLE(index + 5);
    }

    /** Returns the bytes of the event, header and checksum included. */
    static long length(ByteBuf buf, int index) {
        return buf.getUnsignedIntLE(index + 9);
    }
}
