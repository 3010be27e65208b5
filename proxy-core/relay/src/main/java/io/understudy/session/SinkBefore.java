package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.PacketSink;

/** A sink that decides about some packets, ahead of another one that gets all others. */
abstract class SinkBefore implements PacketSink {
    final PacketSink next;

    SinkBefore(PacketSink next) {
        this.next = next;
    }

    @Override
    public void onContinued(int sequence) {
        next.onContinued(sequence);
    }

    @Override
    public boolean replacesShown() {
        return next.replacesShown();
    }

    @Override
    public void onEnd() {
        next.onEnd();
    }

    @Override
    public boolean takesRows() {
        return next.takesRows();
    }

    @Override
    public void onRows(int packets, int payload, int sequence) {
        next.onRows(packets, payload, sequence);
    }

    @Override
    public PacketSink instead(RuntimeException fault, boolean undecided) {
        return next.instead(fault, undecided);
    }

    @Override
    public void forward(ByteBuf bytes) {
        next.forward(bytes);
    }
}
