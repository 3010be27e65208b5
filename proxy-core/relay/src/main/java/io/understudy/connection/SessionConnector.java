package io.understudy.connection;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.ssl.SslHandler;
import io.understudy.config.Address;
import io.understudy.connection.auth.AuthException;
import io.understudy.handshake.LoginPolicy;
import io.understudy.handshake.LoginRefusal;
import io.understudy.plugin.ServerConnection;
import io.understudy.wire.TlsHandlerSource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Logs in to a server in the place of a client, on the session's own event loop. Thread-safe. */
public final class SessionConnector {
    private final ServerDialer dialer;
    private final LoginPolicy policy;
    private final @Nullable Path serverKey;
    private final WriteBufferWaterMark waterMark;

    /**
     * @param policy decides on TLS as for a client's own login
     * @param serverKey file of the server's RSA public key, PEM; null if none was given
     * @param waterMark of the sessions' server legs
     * @param refused whether no socket may be made now; asked from any thread
     * @param connectTimeout maximum time for name lookup and TCP connection together
     * @param loginTimeout maximum time from there until the server accepts the login
     */
    public SessionConnector(
            NetworkTransport transport,
            LoginPolicy policy,
            @Nullable Path serverKey,
            WriteBufferWaterMark waterMark,
            BooleanSupplier refused,
            Duration connectTimeout,
            Duration loginTimeout) {
        this.dialer = new ServerDialer(transport, new Dialer(transport, refused), connectTimeout, loginTimeout);
        this.policy = policy;
        this.serverKey = serverKey;
        this.waterMark = waterMark;
    }

    /**
     * Connects and logs in. The secret of the login stays the caller's, and has to last until the result is there.
     *
     * @param loop of {@link NetworkTransport#relayGroup}; the result is completed on it
     * @param proxyHeader the first bytes sent, or null; ownership passes
     * @return fails with a {@link ServerConnectionException}, also where the server lacks one of the capabilities
     */
    public CompletionStage<ServerConnection> connect(
            EventLoop loop, Address to, ServerLogin login, @Nullable ByteBuf proxyHeader) {
        Bootstrap options = new Bootstrap()
                // A failed write must not close a channel with unread bytes: they may say why the server has closed.
                .option(ChannelOption.AUTO_CLOSE, false)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, waterMark);
        ServerAccount account = new ServerAccount(to, login, true, serverKey);
        return dialer.connect(
                options, loop, account, new LegTls(policy, to.isUnix(), login.clientTls()), proxyHeader, made -> {});
    }

    /** TLS as the server's leg of a session has it. */
    private record LegTls(LoginPolicy policy, boolean local, boolean client) implements LoginTls {
        @Override
        public boolean use(long server) throws AuthException {
            try {
                return policy.requestsServerTls(server, local, client);
            } catch (LoginRefusal refusal) {
                throw new AuthException(String.valueOf(refusal.getMessage()), refusal);
            }
        }

        @Override
        public SslHandler handler(ByteBufAllocator alloc) {
            TlsHandlerSource end = Objects.requireNonNull(policy.serverEnd(), "as TLS is asked for");
            return end.newHandler(alloc);
        }
    }
}
