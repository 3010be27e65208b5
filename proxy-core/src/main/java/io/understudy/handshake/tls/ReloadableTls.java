package io.understudy.handshake.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.understudy.wire.TlsHandlerSource;
import java.net.InetSocketAddress;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * TLS with replaceable certificates: new connections use the new ones, existing connections keep theirs. Thread-safe.
 */
public final class ReloadableTls implements TlsHandlerSource {
    private final Supplier<@Nullable InetSocketAddress> peer;
    private volatile SslContext context;

    private ReloadableTls(SslContext context, Supplier<@Nullable InetSocketAddress> peer) {
        this.context = context;
        this.peer = peer;
    }

    public static ReloadableTls accepting(SslContext context) {
        return new ReloadableTls(context, () -> null);
    }

    /**
     * Returns a context for connections that the proxy opens.
     *
     * @param peer called for each connection: the unresolved host name connected to, which the server's certificate may
     *     have to contain; null for a socket file
     */
    public static ReloadableTls connecting(SslContext context, Supplier<@Nullable InetSocketAddress> peer) {
        return new ReloadableTls(context, peer);
    }

    public void replace(SslContext next) {
        context = next;
    }

    @Override
    public SslHandler newHandler(ByteBufAllocator alloc) {
        InetSocketAddress to = peer.get();
        SslHandler handler =
                to == null ? context.newHandler(alloc) : context.newHandler(alloc, to.getHostString(), to.getPort());
        // The session's deadline covers the TLS handshake.
        handler.setHandshakeTimeoutMillis(0);
        return handler;
    }
}
