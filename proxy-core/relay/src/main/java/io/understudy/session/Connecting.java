package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.wire.Leg;

/**
 * The connection to the primary is being established, or there is none to connect to. The client is read only while the
 * latter is so, to notice that it leaves, and only until it has sent something: that waits for the login, as bytes do
 * that arrived in one segment with a PROXY header.
 */
final class Connecting implements SessionPhase {
    private final Leg client;
    private ByteBuf early = Unpooled.EMPTY_BUFFER;

    Connecting(Leg client) {
        this.client = client;
    }

    @Override
    public void fromClient(ByteBuf bytes) {
        client.setReading(false);
        early = early.isReadable() ? Unpooled.wrappedBuffer(early, bytes) : bytes;
    }

    /** Reads the client, or no longer, unless it has sent something. */
    void watch(boolean on) {
        client.setReading(on && !early.isReadable());
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
