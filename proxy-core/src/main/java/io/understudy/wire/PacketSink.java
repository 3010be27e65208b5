package io.understudy.wire;

import io.netty.buffer.ByteBuf;

/**
 * What a {@link PacketScanner} reports to, and where the bytes go on to. Called on the session's event loop, in the
 * order of the bytes.
 */
public interface PacketSink {
    /** Or-ed to the result of {@link #onPacket}: nothing of this packet goes on. */
    int DROP = 1 << 30;
    /** Or-ed to the result of {@link #onPacket}: nothing goes on until the wanted bytes have been shown. */
    int HOLD = 1 << 29;
    /** Or-ed to the result of {@link #onPacket}: an OK_Packet begins. The scanner ignores it; a sink in between may act on it. */
    int OK_PACKET = 1 << 28;
    /** The largest number of bytes that can be wanted. */
    int MAX_SHOWN = OK_PACKET - 1;

    /**
     * A logical packet begins.
     *
     * @param length payload bytes of its first physical packet
     * @param sequence its sequence number
     * @param first its first payload byte, or -1 for an empty packet
     * @return how many of its first payload bytes to show, with {@link #DROP} or {@link #HOLD}; 0 shows nothing
     */
    int onPacket(int length, int sequence, int first);

    /** A physical packet begins that continues the logical one. */
    default void onContinued(int sequence) {}

    /**
     * The wanted bytes, valid during the call: {@code length} bytes from {@code index}, at most as many as wanted and
     * as the first physical packet has.
     *
     * @return false drops the packet; only meaningful for one that was held and is not dropped anyway
     */
    boolean onShown(ByteBuf buf, int index, int length);

    /** The logical packet's last byte has passed. */
    void onEnd();

    /**
     * This sink threw. Returns the sink to report to from here on; the packet that is passing goes on as was decided last.
     *
     * @param undecided {@link #onPacket} threw: the returned sink is asked about the packet in its place
     * @throws RuntimeException {@code fault}, when the scanner is to stop instead
     */
    default PacketSink instead(RuntimeException fault, boolean undecided) {
        throw fault;
    }

    /** Bytes that go on, with their ownership, in order. */
    void forward(ByteBuf bytes);
}
