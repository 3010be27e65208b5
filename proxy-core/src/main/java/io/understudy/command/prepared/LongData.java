package io.understudy.command.prepared;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * COM_STMT_SEND_LONG_DATA packets for the next execution, kept back to back with their headers. If one exceeds the
 * session's bound, none of that execution's are kept.
 */
final class LongData {
    private static final int HEADER = 4;

    private byte @Nullable [] packets;
    private int length;
    private boolean pending;
    private boolean lost;

    boolean pending() {
        return pending;
    }

    /** Notes a packet whose bytes are not kept. */
    void missed() {
        pending = true;
        lost = true;
        packets = null;
        length = 0;
    }

    /** Keeps a packet. */
    void keep(ByteBuf buf, int index, int payload) {
        pending = true;
        if (lost) {
            return;
        }
        int needed = length + HEADER + payload;
        byte[] room = packets;
        if (room == null) {
            room = new byte[needed];
        } else if (room.length < needed) {
            room = Arrays.copyOf(room, Math.max(needed, room.length * 2));
        }
        packets = room;
        room[length] = (byte) payload;
        room[length + 1] = (byte) (payload >>> 8);
        room[length + 2] = (byte) (payload >>> 16);
        room[length + 3] = 0;
        buf.getBytes(index, room, length + HEADER, payload);
        length = needed;
    }

    /** Returns the number of bytes kept. */
    int length() {
        return length;
    }

    /** Returns all packets since the last execution, or null when some were not kept. */
    byte @Nullable [] packets() {
        byte[] kept = packets;
        return lost || kept == null ? null : Arrays.copyOf(kept, length);
    }
}
