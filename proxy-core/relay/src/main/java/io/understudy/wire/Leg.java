package io.understudy.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.wire.compress.Compressed;
import java.net.SocketAddress;
import java.util.function.Consumer;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * One side of a session: the connection to the client or to the server. Implemented by the relay; nothing above the
 * relay uses channels. All methods but {@link #execute} must be called on the session's event loop.
 */
public interface Leg {
    /** Returns the allocator of the connection's buffers. */
    ByteBufAllocator alloc();

    /** Returns the peer's address; of a client behind the PROXY protocol, the address in its header. */
    SocketAddress remoteAddress();

    /** Queues bytes until the next {@link #flush}. Ownership passes. */
    void write(ByteBuf bytes);

    /** Sends queued bytes, as far as the peer takes them; the rest follows without another call. */
    void flush();

    /**
     * Announces the minimum number of bytes still expected on this leg, so that the kernel need not report fewer; fewer
     * may be read nevertheless. Initially 1. The value holds until the next call, so a caller that comes to expect less
     * must call again.
     */
    default void awaitAtLeast(int bytes) {}

    /** Stops or resumes reading from this leg on behalf of the caller, independently of back-pressure. */
    void setReading(boolean on);

    /** Runs the task on the session's event loop. Thread-safe, as the only method. */
    void execute(Runnable task);

    /**
     * Sends queued bytes, then ends this direction with a FIN only, also over TLS; reading continues. A server that
     * executes a statement watches for the end of the connection, and would treat a close_notify before it as more
     * input.
     */
    void shutdownOutput();

    /**
     * Sends queued bytes, then closes; over TLS without close_notify, for the reason given at {@link #shutdownOutput}.
     */
    default void closeWithoutNotify() {
        closeAfterFlush();
    }

    /** Sends queued bytes, then closes. Idempotent. */
    void closeAfterFlush();

    /**
     * Closes like {@link #closeAfterFlush}. Where reading is paused, the peer may be sending still: that is read and
     * dropped first, for a limited time, because a socket that is closed with unread input resets the connection, and
     * the peer may never see what it was sent last.
     */
    default void closeAfterInput() {
        closeAfterFlush();
    }

    /**
     * Returns whether the connection is a socket file. Nobody can listen in on it, so authentication treats it as
     * secure.
     */
    default boolean isLocal() {
        return false;
    }

    /** Returns the peer's TLS session, or null without TLS. */
    default @Nullable SSLSession tlsSession() {
        return null;
    }

    /** Returns whether authentication treats the connection as secure: with TLS, and {@link #isLocal}. */
    default boolean isSecret() {
        return tlsSession() != null || isLocal();
    }

    /**
     * Starts compression of both directions with the next byte.
     *
     * @param early compressed bytes received already; ownership passes
     */
    default void startCompression(Compressed compressed, ByteBuf early) {
        early.release();
        throw new UnsupportedOperationException(getClass().getSimpleName() + " has no compression");
    }

    /** Runs the task once all received bytes have been processed that wait to be decompressed; at once if none do. */
    default void afterReceived(Runnable task) {
        task.run();
    }

    /** Lowers how much may wait to be written, for a peer whose few compressed bytes make many. */
    default void limitPendingWrites() {}

    /**
     * Starts TLS: bytes written from now on are encrypted, and sent when the TLS handshake is complete.
     *
     * @param early encrypted bytes received together with the SSLRequest; ownership passes
     * @param done receives null when the TLS handshake succeeded, else its failure; the connection then closes
     */
    default void startTls(TlsHandlerSource tls, ByteBuf early, Consumer<@Nullable Throwable> done) {
        early.release();
        throw new UnsupportedOperationException(getClass().getSimpleName() + " has no TLS");
    }
}
