package io.understudy.session;

import io.netty.buffer.ByteBuf;

/** The primary is being connected to. The client is not read from, and by the protocol has nothing to say yet. */
final class Connecting implements SessionPhase {
    @Override
    public void fromClient(ByteBuf bytes) {
        bytes.release();
    }

    @Override
    public void fromServer(ByteBuf bytes) {
        bytes.release();
    }

    @Override
    public int errorSequence() {
        return 0;
    }

    @Override
    public String name() {
        return "connecting";
    }
}
