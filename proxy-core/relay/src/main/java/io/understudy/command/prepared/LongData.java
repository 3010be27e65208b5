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

    private static final byte[] NONE = {};

    private byte[] packets = NONE;
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
        packets = NONE;
        length = 0;
    }

    /** Keeps a packet. */
    void keep(ByteBuf buf, int index, int payload) {
        pending = true;
        if (lost) {
            return;
        }
        int needed = length + HEADER + payload;
        if (packets.length < needed) {
            packets = Arrays.copyOf(packets, Math.max(needed, packets.length * 2));
        }
        packets[length] = (byte) payload;
        packets[length + 1] = (byte) (payload >>> 8);
        packets[length + 2] = (byte) (payload >>> 16);
        packets[length + 3] = 0;
        buf.getBytes(index, packets, length + HEADER, payload);
        length = needed;
    }

    /** Returns the number of bytes kept. */
    int length() {
        return length;
    }

    /** Returns all packets since the last execution, or null when there were none or some were not kept. */
    byte @Nullable [] packets() {
        return length == 0 ? null : Arrays.copyOf(packets, length);
    }
}
