package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.understudy.protocol.CommandCode;
import io.understudy.wire.Leg;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.PacketSink;

/**
 * Forwards a client's packets unread. Between legs of which only one is secure it stops at COM_CHANGE_USER: the client
 * would send its password in the form that is safe on its own leg only.
 */
final class UnreadCommands implements PacketSink {
    private static final int LAST_NUMBER = 0xFF;

    private final Leg server;
    private final boolean legsUnlike;
    private int previous;

    /** @param legsUnlike whether only one leg is secure */
    UnreadCommands(Leg server, boolean legsUnlike) {
        this.server = server;
        this.legsUnlike = legsUnlike;
    }

    /** Returns whether packet headers no longer need to be followed. */
    boolean mayPassAll() {
        return !legsUnlike;
    }

    @Override
    public int onPacket(int length, int sequence, int first) {
        // Number 0 after number 255 continues a long transfer, such as a file.
        boolean command = sequence == 0 && previous != LAST_NUMBER;
        previous = sequence;
        if (legsUnlike && command && first == CommandCode.CHANGE_USER) {
            throw new MalformedPacketException(
                    MalformedPacketException.Kind.CHANGE_USER,
                    "COM_CHANGE_USER in a session that is relayed unread, of which only one leg can keep a secret");
        }
        return 0;
    }

    @Override
    public boolean onShown(ByteBuf buf, int index, int length) {
        return true;
    }

    @Override
    public void onEnd() {}

    @Override
    public void forward(ByteBuf bytes) {
        server.write(bytes);
    }
}
