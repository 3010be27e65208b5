package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/**
 * What semi-synchronous replication adds to the packets of a stream, and where in the binary log their events end. Used
 * on the connection's event loop only.
 *
 * <p>The server puts two bytes between a packet's zero byte and its event: 0xEF, and 1 if it waits for an
 * acknowledgement of that event, else 0 (MySQL's {@code semisync.h}, MariaDB's {@code semisync.h}). An event without
 * them may begin with the same bytes, as a time; its length tells which it is.
 */
final class SemiSyncPackets {
    private static final int MARK = 0xEF;
    private static final int MARK_BYTES = 2;
    private static final int NEXT_POSITION = 13;
    private static final int CHECKSUM = 4;
    /** The header has the lower four bytes of the position. */
    private static final long WRAP_MASK = 0xFFFF_FFFFL;

    private boolean marked;
    private boolean awaited;
    private String file = "";
    private long end;

    /**
     * Reads a packet's begin. Returns the bytes between its zero byte and its event.
     *
     * @param index of the zero byte
     * @param length of the packet
     * @param whole whether the packet holds all of its event
     */
    int packet(ByteBuf buf, int index, int shown, int length, boolean whole) {
        int mark = index + 1;
        boolean possible = shown > MARK_BYTES + EventHeader.LENGTH
                && buf.getUnsignedByte(mark) == MARK
                && (buf.getByte(mark + 1) & 0xFE) == 0;
        if (whole || !possible) {
            marked = possible && EventHeader.length(buf, mark + MARK_BYTES) == length - 1 - MARK_BYTES;
        }
        awaited = marked && buf.getByte(mark + 1) == 1;
        return marked ? MARK_BYTES : 0;
    }

    /** Follows the position of an event of which {@code shown} bytes are available. */
    void event(ByteBuf buf, int index, int shown) {
        if (EventHeader.type(buf, index) == EventType.ROTATE) {
            rotate(buf, index, shown);
            return;
        }
        long low = buf.getUnsignedIntLE(index + NEXT_POSITION);
        if (low != 0) {
            long next = end & ~WRAP_MASK | low;
            // Only what lies half the range behind has wrapped. A position that is too low is no danger.
            end = Math.max(end, end - next > WRAP_MASK / 2 ? next + WRAP_MASK + 1 : next);
        }
    }

    private void rotate(ByteBuf buf, int index, int shown) {
        int name = index + EventHeader.LENGTH + Long.BYTES;
        int bytes = shown - EventHeader.LENGTH - Long.BYTES - (hasChecksum(buf, index, shown) ? CHECKSUM : 0);
        if (bytes > 0) {
            end = buf.getLongLE(index + EventHeader.LENGTH);
            file = buf.toString(name, bytes, StandardCharsets.UTF_8);
        }
    }

    /** The first event of a stream comes before the one that says whether events have checksums. */
    private static boolean hasChecksum(ByteBuf buf, int index, int shown) {
        int body = shown - CHECKSUM;
        if (body < EventHeader.LENGTH) {
            return false;
        }
        byte[] event = new byte[body];
        buf.getBytes(index, event);
        CRC32 crc = new CRC32();
        crc.update(event);
        return (int) crc.getValue() == buf.getIntLE(index + body);
    }

    /** Returns whether the present packet has the mark. */
    boolean marked() {
        return marked;
    }

    /** Returns whether the server waits for an acknowledgement of the present packet's event. */
    boolean awaited() {
        return awaited;
    }

    /** Returns where the present event ends. */
    BinlogEnd end() {
        return new BinlogEnd(file, end);
    }
}
