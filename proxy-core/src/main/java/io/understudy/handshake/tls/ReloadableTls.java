package io.understudy.handshake.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.understudy.wire.TlsHandlerSource;
import org.jspecify.annotations.Nullable;

/**
 * TLS with replaceable certificates: new connections use the new ones, existing connections keep theirs. Thread-safe.
 */
public final class ReloadableTls implements TlsHandlerSource {
    private final @Nullable String host;
    private final int port;
    private volatile SslContext context;

    private ReloadableTls(SslContext context, @Nullable String host, int port) {
        this.context = context;
        this.host = host;
        this.port = port;
    }

    public static ReloadableTls accepting(SslContext context) {
        return new ReloadableTls(context, null, 0);
    }

    /**
     * Returns a context for connections that the proxy opens.
     *
     * @param host the host name connected to, which the server's certificate may have to contain; null for a socket
     *     file
     */
    public static ReloadableTls connecting(SslContext context, @Nullable String host, int port) {
        return new ReloadableTls(context, host, port);
    }

    public void replace(SslContext next) {
        context = next;
    }

    @Override
    public SslHandler newHandler(ByteBufAllocator alloc) {
        String name = host;
        SslHandler handler = name == null ? context.newHandler(alloc) : context.newHandler(alloc, name, port);
        // The session's deadline covers the TLS handshake.
        handler.setHandshakeTimeoutMillis(0);
        return handler;
    }
}
