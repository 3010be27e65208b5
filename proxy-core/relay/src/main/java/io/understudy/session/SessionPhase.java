package io.understudy.session;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The state of a session. A phase owns the bytes that are passed to it.
 *
 * <pre>
 *   Connecting ───connected────▶ LoggingIn ──OK──▶ Relaying ──┐
 *       │                             │                 └─does not fit─▶ Unread ─▶ (Ended)
 *       │                             ├─TLS relayed─▶ Unread ─▶ (Ended)
 *       │                             │                        │
 *       └── refused, too slow ────────┴── refused, malformed ──┴──▶ Ended
 * </pre>
 */
sealed interface SessionPhase permits Connecting, LoggingIn, Relaying, Unread, Ended {
    void fromClient(ByteBuf bytes);

    void fromServer(ByteBuf bytes);

    /** Called when the client has been read empty for now: bytes for the server may be flushed. */
    default void clientReadComplete() {}

    default void serverReadComplete() {}

    /**
     * Returns the number that an ERR packet to the client would have now, or -1 when the client is in the middle of a
     * packet.
     */
    int errorSequence();

    /** Returns whether the client still has responses to receive. */
    default boolean responsesDue() {
        return false;
    }

    /** Returns whether the server may have commands that it begins only after another response. */
    default boolean pipelined() {
        return false;
    }

    /** Returns whether commands of the client wait in the proxy. */
    default boolean holdsCommands() {
        return false;
    }

    /** Returns the outcome under which a client that leaves now is counted; null after its login has been counted. */
    default @Nullable String departure() {
        return null;
    }

    /** Called when the client has shut down its output. */
    default void clientShutOutput() {}

    /** Called when the server has closed: writes what the client must still be told. */
    default void serverGone() {}

    /** Returns the value of CONNECTION_ID() on the server, or 0 while it is not known. */
    default long serverThreadId() {
        return 0;
    }

    /** Returns a word for the admin endpoint. */
    String name();

    /** Releases the phase's resources, when the session ends. */
    default void close(CloseReason reason) {}
}
