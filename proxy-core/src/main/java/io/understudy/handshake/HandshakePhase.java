package io.understudy.handshake;

import io.netty.buffer.ByteBuf;

/**
 * Where a login stands. Each phase takes a whole packet, whose ownership passes, and names the phase that follows.
 *
 * <pre>
 *                                  ┌──┐ TLS request, when we terminate TLS
 *                                  │  ▼
 *  AwaitGreeting ──greeting──▶ AwaitHandshakeResponse ──reply──▶ Authenticating ──OK──▶ (logged in)
 *       │ERR                       │                            │  ▲ └─ERR─▶ (refused by the server)
 *       └──▶ (refused by           └─TLS request──▶             └──┘ anything else, either way
 *             the server)             (relayed blindly)
 * </pre>
 */
sealed interface HandshakePhase permits AwaitGreeting, AwaitHandshakeResponse, Authenticating {
    HandshakePhase fromServer(ByteBuf packet);

    HandshakePhase fromClient(ByteBuf packet);

    /** Whether a client's packet of this number has come ahead of its time: it waits for a later phase, or for the login's end. */
    default boolean isEarly(int sequence) {
        return false;
    }

    /** The login is over, well or not. */
    default void close() {}
}
