package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.PacketSink;
import io.understudy.wire.Packets;

/**
 * Holds each OK packet until it is complete, and forwards it to the client without the session state that only the
 * proxy requested.
 */
final class FilteredResponses extends SinkBefore {
    /**
     * An OK packet of this length or less has neither text nor state. Most results end with one, and holding it would
     * cut them in two.
     */
    private static final int BARE_OK = 7;

    private final OkPacketFilter filter;
    private int sequence;
    private boolean held;

    FilteredResponses(PacketSink next, OkPacketFilter filter) {
        super(next);
        this.filter = filter;
    }

    @Override
    public int onPacket(int length, int sequenceNumber, int first) {
        int wanted = next.onPacket(length, sequenceNumber, first);
        held = (wanted & (OK_PACKET | DROP)) == OK_PACKET // a response that is forwarded to the client
                && length > BARE_OK
                && length < Packets.MAX_PAYLOAD
                && filter.active();
        sequence = sequenceNumber;
        return held ? HOLD | length : wanted;
    }

    @Override
    public boolean onShown(ByteBuf buf, int index, int length) {
        boolean goesOn = next.onShown(buf, index, length);
        if (!held) {
            return goesOn;
        }
        ByteBuf replacement = filter.replace(buf, index, length, sequence);
        if (replacement == null) {
            return true;
        }
        next.forward(replacement);
        return false;
    }
}
