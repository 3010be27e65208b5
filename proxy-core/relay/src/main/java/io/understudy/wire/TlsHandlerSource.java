package io.understudy.wire;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslHandler;

/**
 * Creates handlers for the proxy's side of a TLS connection, with the certificates current at that moment. Thread-safe.
 */
public interface TlsHandlerSource {
    /**
     * Returns a new handler, to be put first in the pipeline.
     *
     * @throws IllegalStateException when there are no usable certificates; the message says why
     */
    SslHandler newHandler(ByteBufAllocator alloc);
}
