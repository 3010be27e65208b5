package io.understudy.connection;

import io.netty.buffer.ByteBuf;
import io.understudy.connection.auth.AuthException;

/**
 * Where a login of ours stands. A step takes the payload of one packet, which it does not keep, and names its successor.
 *
 * <pre>
 *  HandshakeV10Step ──▶ AuthStep ──OK──▶ (NettyServerConnection)
 *       └──▶ TlsStep ──▲  └─▶ AuthStep (another method, more data)
 * </pre>
 */
sealed interface LoginStep permits HandshakeV10Step, TlsStep, AuthStep {
    /** What goes on, to be put after "while": for messages. */
    String doing();

    /** @throws AuthException when the login cannot go on; the message says why and what to do */
    LoginStep packet(ByteBuf payload) throws AuthException;
}
