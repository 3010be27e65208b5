package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * The primary is being connected to. The client is not read from; what it had sent behind a PROXY header, in the same
 * segment, waits for the login.
 */
final class Connecting implements SessionPhase {
    private ByteBuf early = Unpooled.EMPTY_BUFFER;

    @Override
    public void fromClient(ByteBuf bytes) {
        early = early.isReadable() ? Unpooled.wrappedBuffer(early, bytes) : bytes;
    }

    /** What the client has sent already, owned by the caller. */
    ByteBuf takeEarly() {
        ByteBuf bytes = early;
        early = Unpooled.EMPTY_BUFFER;
        return bytes;
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

    @Override
    public void close(CloseReason reason) {
        takeEarly().release();
    }
}
