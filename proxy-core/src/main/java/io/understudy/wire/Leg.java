package io.understudy.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.wire.compress.Compressed;
import java.net.SocketAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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

    /**
     * Says that more will come than fewer bytes than that, so that nobody need be woken for them; they may be read all the same. A
     * leg begins with 1. Holds until it is called again, so whoever is then due less has to say so.
     */
    default void awaitAtLeast(int bytes) {}

    /** Stops or resumes reading this end on behalf of the caller; independent of back-pressure. */
    void setReading(boolean on);

    /** Runs on the session's event loop; the one method that any thread may call. */
    void execute(Runnable task);

    /**
     * Sends what is queued, then ends this direction by FIN alone, over TLS too; reading goes on. Servers that are in the
     * middle of a statement look for the end of the connection and take a close_notify ahead of it for more to read.
     */
    void shutdownOutput();

    /** Sends what is queued, then closes, over TLS without close_notify, for the reason given at {@link #shutdownOutput}. */
    default void closeWithoutFarewell() {
        closeAfterFlush();
    }

    /** Sends what is queued, then closes. Idempotent. */
    void closeAfterFlush();

    /** A socket file: nothing between the two ends can listen in, which the protocol's authentication counts as secure. */
    default boolean isLocal() {
        return false;
    }

    /**
     * Starts compression, of either direction, with the next byte.
     *
     * @param early compressed bytes that have come already; ownership passes
     */
    default void startCompression(Compressed compressed, ByteBuf early) {
        early.release();
        throw new UnsupportedOperationException(getClass().getSimpleName() + " has no compression");
    }

    /**
     * Starts TLS: what is written from now on is encrypted, as soon as the TLS handshake is over.
     *
     * @param early encrypted bytes that came right behind the request for TLS; ownership passes
     * @param done gets null when TLS stands, else why it does not; the connection is then about to close
     */
    default void startTls(TlsHandlerSource tls, ByteBuf early, Consumer<@Nullable Throwable> done) {
        early.release();
        throw new UnsupportedOperationException(getClass().getSimpleName() + " has no TLS");
    }
}
