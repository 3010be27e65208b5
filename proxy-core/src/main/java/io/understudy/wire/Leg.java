package io.understudy.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.net.SocketAddress;

/**
 * One end of a session as the phases of a session see it: the client's socket or the server's. The relay implements it;
 * nothing above the relay knows channels. All methods are called on the session's event loop.
 */
public interface Leg {
    ByteBufAllocator alloc();

    SocketAddress remoteAddress();

    /** Queues bytes, whose ownership passes; they leave at the next {@link #flush}. */
    void write(ByteBuf bytes);

    void flush();

    /** Stops or resumes reading this end on behalf of the caller; independent of back-pressure. */
    void setReading(boolean on);

    /** Runs on the session's event loop; the one method that any thread may call. */
    void execute(Runnable task);

    /** Sends what is queued, then closes. Idempotent. */
    void closeAfterFlush();
}
