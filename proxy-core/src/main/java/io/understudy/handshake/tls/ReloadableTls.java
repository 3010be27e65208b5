package io.understudy.handshake.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.understudy.wire.TlsHandlerSource;
import org.jspecify.annotations.Nullable;

/**
 * A TLS end whose certificates can be exchanged: connections made from then on use the new ones, those that stand keep
 * theirs. Any thread.
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

    /** @param host the name that was dialled, which the server's certificate may have to carry; null for a socket file */
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
        // The session's own deadline covers the TLS handshake.
        handler.setHandshakeTimeoutMillis(0);
        return handler;
    }
}
