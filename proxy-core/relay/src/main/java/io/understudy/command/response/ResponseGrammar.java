package io.understudy.command.response;

import io.netty.buffer.ByteBuf;
import io.understudy.protocol.Capabilities;
import io.understudy.wire.Marker;
import io.understudy.wire.PacketSink;

/**
 * The grammar of one kind of response. Instances are stateless and shared by all sessions; {@link ResponseProgress}
 * holds the state of a response.
 */
public abstract class ResponseGrammar {
    /** The largest OK packet that is inspected entirely; of a larger one, only the part before its session state. */
    static final int OK_LIMIT = 1 << 20;

    /** Result of {@link #packet} for an OK packet, which is then passed to {@link #inspect}. */
    protected static final int OK_PACKET = PacketSink.OK_PACKET | OK_LIMIT;

    /** EOF marker, warnings, status. */
    protected static final int EOF_LENGTH = 5;

    /** Error marker, code, SQLSTATE and the beginning of the message. */
    protected static final int ERR_LIMIT = 512;

    /**
     * Called when a packet of the response begins. May end the response by {@link ResponseProgress#over}, which takes
     * effect with the packet's last byte.
     *
     * @return how many of its payload bytes to pass to {@link #inspect}, 0 for none; {@link #OK_PACKET} for an OK
     *     packet
     */
    public abstract int packet(ResponseProgress progress, int length, int first);

    /**
     * Returns whether the next packets are rows, for which {@link #packet} would only be a count, as long as they begin
     * with a byte below EOF's and have neither no nor the maximum length. Asked between two packets of the response.
     */
    public boolean takesRows(ResponseProgress progress) {
        return false;
    }

    /** Inspects the requested bytes, or as many as the packet has. */
    public void inspect(ResponseProgress progress, ByteBuf buf, int index, int length) {
        throw new IllegalStateException(getClass().getSimpleName() + " asked for no bytes");
    }

    /** Called when the client sent a packet that belongs to this response, such as file contents. */
    public void clientPacket(ResponseProgress progress, int length) {}

    /**
     * Returns whether a client's packet of this number belongs to the response, given that the response waits for one.
     */
    public boolean takesClientPacket(int sequence) {
        return true;
    }

    /** Returns whether the packet that comes next is the definition of a column, unless it is an error. */
    boolean definitionNext(ResponseProgress progress) {
        return false;
    }

    /**
     * Ends the response with an ERR packet, unless that is a progress report, which may appear in place of any packet.
     */
    protected static void error(ResponseProgress progress, ByteBuf buf, int index, int length) {
        boolean report = length >= 3
                && buf.getUnsignedShortLE(index + 1) == Marker.PROGRESS_CODE
                && progress.has(Capabilities.MARIADB_PROGRESS);
        if (!report) {
            progress.readErr(buf, index, length);
            progress.end();
        }
    }
}
