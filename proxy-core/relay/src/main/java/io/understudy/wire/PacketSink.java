package io.understudy.wire;

import io.netty.buffer.ByteBuf;

/**
 * Receives the packets that a {@link PacketScanner} finds, and the bytes to forward. Called on the session's event
 * loop, in the order of the bytes.
 */
public interface PacketSink {
    /** Flag in the result of {@link #onPacket}: drops the packet. */
    int DROP = 1 << 30;
    /** Flag in the result of {@link #onPacket}: holds the packet until the wanted bytes have been shown. */
    int HOLD = 1 << 29;
    /**
     * Flag in the result of {@link #onPacket}: the packet is an OK_Packet. The scanner ignores it; a sink in between
     * may act on it.
     */
    int OK_PACKET = 1 << 28;
    /**
     * Result of {@link #onPacket}: the sink takes no further packet now, and has noted nothing of this one. The scanner
     * stops ahead of it; see {@link PacketScanner#takeRest}.
     */
    int LATER = 1 << 27;
    /** The largest number of bytes that a sink can ask for. */
    int MAX_SHOWN = LATER - 1;

    /**
     * Called when a logical packet begins.
     *
     * @param length payload length of its first physical packet in bytes
     * @param sequence its sequence number
     * @param first its first payload byte, or -1 for an empty packet
     * @return how many of its first payload bytes to show, with {@link #DROP} or {@link #HOLD}; 0 shows nothing;
     *     {@link #LATER} alone
     */
    int onPacket(int length, int sequence, int first);

    /** Called when a physical packet begins that continues the logical one. */
    default void onContinued(int sequence) {}

    /**
     * Shows the wanted bytes, valid during the call: {@code length} bytes from {@code index}, at most as many as wanted
     * and as the first physical packet has.
     *
     * @return false to drop the packet; has an effect only on a packet that is held and not dropped anyway
     */
    boolean onShown(ByteBuf buf, int index, int length);

    /**
     * Asked after {@link #onShown} has returned true for a packet that was held: whether the sink has forwarded another
     * header and beginning in place of the bytes shown. What follows them in the packet is forwarded behind.
     */
    default boolean replacesShown() {
        return false;
    }

    /** Called when the last byte of the logical packet has been scanned. */
    void onEnd();

    /**
     * Returns whether rows follow, and none of them needs a decision: the scanner may then report complete packets that
     * begin with a byte below {@link Marker#EOF} by {@link #onRows}, all at once. Asked after {@link #onEnd} of a
     * packet that was neither shown nor dropped.
     */
    default boolean takesRows() {
        return false;
    }

    /**
     * Called after complete packets for which {@link #takesRows} allowed it, in place of {@link #onPacket} and
     * {@link #onEnd} for each.
     *
     * @param packets how many there are, at least 1
     * @param payload sum of their payload lengths in bytes
     * @param sequence sequence number of the last one
     */
    default void onRows(int packets, int payload, int sequence) {}

    /**
     * Returns the sink to report to from now on, after this sink has thrown. The current packet is treated as decided
     * last.
     *
     * @param undecided whether {@link #onPacket} threw: the returned sink then decides about the packet
     * @throws RuntimeException {@code fault}, to stop the scanner instead
     */
    default PacketSink instead(RuntimeException fault, boolean undecided) {
        throw fault;
    }

    /** Forwards bytes, in order. Ownership passes. */
    void forward(ByteBuf bytes);
}
