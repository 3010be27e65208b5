package io.understudy.session;

import io.netty.buffer.ByteBuf;

/**
 * What a session is doing. Bytes are owned by the phase they are given to.
 *
 * <pre>
 *   Connecting ───connected────▶ LoggingIn ──OK──▶ Relaying ──┐
 *       │                             │                 └─does not fit─▶ Unread ─▶ (Ended)
 *       │                             ├─TLS relayed─▶ Passthrough ─▶ (Ended)
 *       │                             │                        │
 *       └── refused, too slow ────────┴── refused, malformed ──┴──▶ Ended
 * </pre>
 */
sealed interface SessionPhase permits Connecting, LoggingIn, Relaying, Unread, Passthrough, Ended {
    void fromClient(ByteBuf bytes);

    void fromServer(ByteBuf bytes);

    /** Bytes of the client's have all been read for now: what goes to the server may leave. */
    default void clientReadComplete() {}

    default void serverReadComplete() {}

    /** Number that an ERR packet to the client would have now; -1 when the client is in the middle of a packet. */
    int errorSequence();

    /** Whether the client has yet to get answers. */
    default boolean responsesDue() {
        return false;
    }

    /** The client sends nothing more. */
    default void clientShutOutput() {}

    /** The server has closed; what the client is still to be told is written now. */
    default void serverGone() {}

    /** A word for the admin endpoint. */
    String name();

    /** Releases what the phase holds: the session is over. */
    default void close(CloseReason reason) {}
}
