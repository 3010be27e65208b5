package io.understudy.command.response;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.PacketSink;

/**
 * The grammar of one kind of answer. Instances hold no state and are shared by all sessions; {@link ResponseProgress} holds
 * where an answer stands.
 */
public abstract class ResponseGrammar {
    /** Largest OK packet that is read whole; of a larger one, only what precedes its session state. */
    static final int OK_LIMIT = 1 << 20;

    /** An OK packet begins, and is to be shown to {@link #look}. */
    protected static final int OK_PACKET = PacketSink.OK_PACKET | OK_LIMIT;

    /** EOF marker, warnings, status. */
    protected static final int EOF_LENGTH = 5;

    /** Error marker, code, SQLSTATE and the beginning of the message. */
    protected static final int ERR_LIMIT = 512;

    /**
     * A packet of the answer begins. May end the answer by {@link ResponseProgress#over}, which takes effect with the
     * packet's last byte.
     *
     * @return how many of its payload bytes to pass to {@link #look}, 0 for none; {@link #OK_PACKET} for an OK packet
     */
    public abstract int packet(ResponseProgress progress, int length, int first);

    /** The bytes asked for, or as many as the packet has. */
    public void look(ResponseProgress progress, ByteBuf buf, int index, int length) {
        throw new IllegalStateException(getClass().getSimpleName() + " asked for no bytes");
    }

    /** The client sent a packet that belongs to this answer, such as file contents. */
    public void clientPacket(ResponseProgress progress, int length) {}

    /** Whether a client's packet of this number belongs to the answer, when the answer waits for one at all. */
    public boolean takesClientPacket(int sequence) {
        return true;
    }

    /** Progress reports may stand wherever a packet may. Not an error, not an end. */
    protected static boolean isProgressReport(ResponseProgress progress, ByteBuf buf, int index, int length) {
        return length >= 3
                && buf.getUnsignedShortLE(index + 1) == io.understudy.wire.Marker.PROGRESS_CODE
                && progress.has(io.understudy.wire.Capabilities.MARIADB_PROGRESS);
    }
}
