package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * The connection to the primary is being established. The client is not read; bytes that arrived in one segment with a
 * PROXY header wait for the login.
 */
final class Connecting implements SessionPhase {
    private ByteBuf early = Unpooled.EMPTY_BUFFER;

    @Override
    public void fromClient(ByteBuf bytes) {
        early = early.isReadable() ? Unpooled.wrappedBuffer(early, bytes) : bytes;
    }

    /** Returns the bytes that the client has sent already. The caller owns them. */
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
    public String departure() {
        return LoggingIn.departure(early.isReadable());
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
