package io.understudy.session;

import io.netty.buffer.ByteBuf;

/** The session has ended; bytes that still arrive are dropped. */
final class Ended implements SessionPhase {
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
        return -1;
    }

    @Override
    public String name() {
        return "ended";
    }
}
