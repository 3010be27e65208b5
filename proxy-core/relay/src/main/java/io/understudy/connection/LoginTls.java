package io.understudy.connection;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslHandler;
import io.understudy.connection.auth.AuthException;

/** Whether and how a login encrypts its connection. */
interface LoginTls {
    /**
     * Returns whether to ask for TLS.
     *
     * @param server capabilities that the server offers
     * @throws AuthException if it is required and the server does not offer it
     */
    boolean use(long server) throws AuthException;

    /**
     * Returns the handler for the front of a connection's pipeline.
     *
     * @throws AuthException if certificates or keys are unusable
     */
    SslHandler handler(ByteBufAllocator alloc) throws AuthException;
}
