package io.understudy.plugin;

import io.netty.buffer.ByteBuf;

/** Receives an endless response packet by packet, on the connection's event loop. */
public interface ServerStream {
    /**
     * Called with the first bytes of each packet's payload.
     *
     * @param buf valid during the call; not to be released
     * @param index index in {@code buf} of the payload's first byte
     * @param shown number of bytes available, at most {@link #prefix}
     * @param length payload length of the packet in bytes; a packet of 16 MiB or more is reported once, with the length
     *     of its first part
     * @param receivedNanos monotonic time of the read that delivered the packet's first byte
     */
    void onPacket(ByteBuf buf, int index, int shown, int length, long receivedNanos);

    /**
     * Returns how many bytes of the next packet {@link #onPacket} needs. Called as each packet begins; of a packet of
     * 16 MiB or more, at most the first part is shown.
     */
    int prefix();

    /** Called when the packet's last byte has arrived. */
    default void onPacketEnd(long receivedNanos) {}

    /**
     * Returns for how long, in nanoseconds, the connection may be left unread; 0 to receive everything as it arrives.
     * Called after each read.
     *
     * <p>Meanwhile bytes wait in the kernel and arrive together afterwards, so a busy stream costs one wake-up per rest
     * instead of one per packet. Times are those of the read, late by up to the rest. After a large read, as of a large
     * transaction, reading continues without a rest.
     */
    default long restNanos() {
        return 0;
    }

    /**
     * Called when the stream has ended, with the server's error as {@code error CODE (STATE) message} or the reason why
     * the connection ended.
     */
    void onEnd(String reason);
}
