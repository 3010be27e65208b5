package io.understudy.plugin;

import io.netty.buffer.ByteBuf;

/** Receives an endless answer packet by packet. */
public interface ServerStream {
    /**
     * The first bytes of a packet's payload, at most {@link #prefix}; valid during the call.
     *
     * @param length payload bytes of the packet in all; of one of 16 MiB and more, which is reported once, those of its
     *     first part
     * @param receivedNanos monotonic time of the read that brought the packet's first byte
     */
    void onPacket(ByteBuf buf, int index, int shown, int length, long receivedNanos);

    /** How many bytes of the next packet to show. Asked as each begins; of one of 16 MiB and more no more than its first part is shown. */
    int prefix();

    /** The packet's last byte has arrived. */
    default void onPacketEnd(long receivedNanos) {}

    /**
     * Asked after each read: for how long, in nanoseconds, the connection may be left unread. What arrives meanwhile waits with
     * the kernel and comes at once afterwards, so a busy stream costs one wake-up for each rest rather than one for each packet;
     * its times are those of the read, late by up to the rest. 0 to be told of everything as it arrives. After a read of
     * much, as of a large transaction, reading goes on all the same.
     */
    default long restNanos() {
        return 0;
    }

    /** The stream ended: the server's error as {@code error CODE (STATE) message}, or the connection's end. */
    void onEnd(String reason);
}
