package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.Leg;
import io.understudy.wire.PacketSink;

/**
 * Forwards a server's packets unread, except for the responses to injected statements, which are always the oldest due.
 * Their ends are recognised by packet numbers alone: each response begins with number 1.
 */
final class UnreadResponses implements PacketSink {
    private static final int FIRST_NUMBER = 1;

    private final Leg client;
    private int injectedDue;
    private boolean withinInjected;

    /**
     * @param injectedDue number of injected statements whose responses have not begun
     * @param withinInjected whether the response to an injected statement has begun and is not complete
     */
    UnreadResponses(Leg client, int injectedDue, boolean withinInjected) {
        this.client = client;
        this.injectedDue = injectedDue;
        this.withinInjected = withinInjected;
    }

    /** Returns whether packet headers no longer need to be followed. */
    boolean mayPassAll() {
        return injectedDue == 0 && !withinInjected;
    }

    @Override
    public int onPacket(int length, int sequence, int first) {
        if (sequence == FIRST_NUMBER) {
            withinInjected = injectedDue > 0;
            injectedDue -= withinInjected ? 1 : 0;
        }
        return withinInjected ? DROP : 0;
    }

    @Override
    public boolean onShown(ByteBuf buf, int index, int length) {
        return true;
    }

    @Override
    public void onEnd() {}

    @Override
    public void forward(ByteBuf bytes) {
        client.write(bytes);
    }
}
