package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.wire.Leg;
import java.net.SocketAddress;

/** The server's leg of a session that is not yet connected to the primary. */
enum NoServer implements Leg {
    LEG;

    @Override
    public ByteBufAllocator alloc() {
        throw new IllegalStateException("not connected to the primary");
    }

    @Override
    public SocketAddress remoteAddress() {
        throw new IllegalStateException("not connected to the primary");
    }

    @Override
    public void write(ByteBuf bytes) {
        bytes.release();
    }

    @Override
    public void flush() {}

    @Override
    public void setReading(boolean on) {}

    @Override
    public void execute(Runnable task) {
        throw new IllegalStateException("not connected to the primary");
    }

    @Override
    public void shutdownOutput() {}

    @Override
    public void closeAfterFlush() {}
}
