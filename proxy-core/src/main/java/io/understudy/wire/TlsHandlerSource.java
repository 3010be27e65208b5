package io.understudy.wire;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslHandler;

/** Makes our end of a TLS connection, with the certificates as they are at that moment. Any thread. */
public interface TlsHandlerSource {
    /**
     * A new handler, to be put in front of everything else.
     *
     * @throws IllegalStateException when there are no usable certificates; the message says why
     */
    SslHandler newHandler(ByteBufAllocator alloc);
}
