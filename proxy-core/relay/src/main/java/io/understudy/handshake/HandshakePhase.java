package io.understudy.handshake;

import io.netty.buffer.ByteBuf;

/**
 * The state of a login. A phase takes one complete packet, whose ownership passes, and returns the next phase.
 *
 * <pre>
 *                                      ┌──┐ SSLRequest, if the proxy terminates TLS
 *                                      │  ▼
 *  AwaitHandshakeV10 ──HandshakeV10──▶ AwaitHandshakeResponse ──response──▶ Authenticating ──OK──▶ (logged in)
 *       │ERR                           │                                 │  ▲ └─ERR─▶ (refused by the server)
 *       └──▶ (refused by               └─SSLRequest──▶                   └──┘ anything else, either way
 *             the server)                 (relayed unread)
 * </pre>
 */
sealed interface HandshakePhase permits AwaitHandshakeV10, AwaitHandshakeResponse, Authenticating {
    HandshakePhase fromServer(ByteBuf packet);

    HandshakePhase fromClient(ByteBuf packet);

    /**
     * Returns whether a client's packet of this number has arrived early: it waits for a later phase, or for the end of
     * the login.
     */
    default boolean isEarly(int sequence) {
        return false;
    }

    /** Called when the login has ended in any way. */
    default void close() {}
}
