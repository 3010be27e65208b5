package io.understudy.connection;

import io.netty.buffer.ByteBuf;
import io.understudy.connection.auth.AuthException;

/**
 * The state of a server connection's login. A step takes the payload of one packet, which it does not retain, and
 * returns its successor.
 *
 * <pre>
 *  HandshakeV10Step ──▶ AuthStep ──OK──▶ (NettyServerConnection)
 *       └──▶ TlsStep ──▲  └─▶ AuthStep (another method, more data)
 * </pre>
 */
sealed interface LoginStep permits HandshakeV10Step, TlsStep, AuthStep {
    /** Returns what the step does, in words that fit after "while": for messages. */
    String doing();

    /**
     * Processes a packet of the server and returns the next step.
     *
     * @throws AuthException if the login cannot continue; the message says why and what to do
     */
    LoginStep packet(ByteBuf payload) throws AuthException;
}
