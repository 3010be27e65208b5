package io.understudy.handshake.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.understudy.wire.TlsHandlerSource;
import java.net.InetSocketAddress;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * TLS with replaceable certificates: new connections use the new ones, existing connections keep theirs. Thread-safe.
 */
public final class ReloadableTls implements TlsHandlerSource {
    private final Supplier<@Nullable InetSocketAddress> peer;
    private final boolean recordByRecord;
    private volatile SslContext context;

    private ReloadableTls(SslContext context, Supplier<@Nullable InetSocketAddress> peer, boolean recordByRecord) {
        this.context = context;
        this.peer = peer;
        this.recordByRecord = recordByRecord;
    }

    public static ReloadableTls accepting(SslContext context) {
        return new ReloadableTls(context, () -> null, false);
    }

    /**
     * Returns a context for connections that the proxy opens.
     *
     * @param peer called for each connection: the unresolved host name connected to, which the server's certificate may
     *     have to contain; null for a socket file
     */
    public static ReloadableTls connecting(SslContext context, Supplier<@Nullable InetSocketAddress> peer) {
        return new ReloadableTls(context, peer, true);
    }

    public void replace(SslContext next) {
        context = next;
    }

    @Override
    public SslHandler newHandler(ByteBufAllocator alloc) {
        SslHandler handler = recordByRecord ? new SslHandler(connectingEngine(alloc)) : context.newHandler(alloc);
        // The session's deadline covers the TLS handshake.
        handler.setHandshakeTimeoutMillis(0);
        return handler;
    }

    /**
     * Returns an engine that decrypts one record at a time. The engine of {@link SslContext#newHandler} decrypts all
     * that have come, and an alert behind them has it throw them away: OpenSSL's servers send one, decode_error, behind
     * the last response to a client that has shut down its sending side.
     */
    private SSLEngine connectingEngine(ByteBufAllocator alloc) {
        InetSocketAddress to = peer.get();
        return to == null ? context.newEngine(alloc) : context.newEngine(alloc, to.getHostString(), to.getPort());
    }
}
