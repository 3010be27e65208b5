package io.understudy.command;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * COM_STMT_SEND_LONG_DATA packets on their way to an execution, kept back to back with their headers. What does not fit the
 * session's bound is not kept, and then nothing of that execution's is.
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

    /** One was sent whose bytes are not kept. */
    void missed() {
        pending = true;
        lost = true;
        packets = null;
        length = 0;
    }

    /** One was sent. */
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

    /** Bytes kept. */
    int length() {
        return length;
    }

    /** All packets since the last execution; null when some are missing. */
    byte @Nullable [] packets() {
        byte[] kept = packets;
        return lost || kept == null ? null : Arrays.copyOf(kept, length);
    }
}
