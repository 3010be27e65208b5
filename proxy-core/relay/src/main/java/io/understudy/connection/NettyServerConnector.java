package io.understudy.connection;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerConnector;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Connects and logs in to one server with one account. Fails with a {@link ServerConnectionException}. Thread-safe. */
public final class NettyServerConnector implements ServerConnector {
    private final ServerDialer dialer;
    private final EventLoopGroup loops;
    private final Supplier<Address> address;
    private final Supplier<Credentials> credentials;
    private final ServerTlsConfig tls;
    private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    /** Guarded by this, as the next. */
    private @Nullable ConnectionTls settings;

    private @Nullable Address settingsOf;

    /**
     * @param address called for each connection, as {@code credentials}
     * @param loops of {@link NetworkTransport#relayGroup}; not those of sessions
     * @param connectTimeout maximum time for name lookup and TCP connection together
     * @param loginTimeout maximum time from there until the server accepts the login
     */
    public NettyServerConnector(
            NetworkTransport transport,
            EventLoopGroup loops,
            Supplier<Address> address,
            Supplier<Credentials> credentials,
            ServerTlsConfig tls,
            Duration connectTimeout,
            Duration loginTimeout) {
        this.dialer = new ServerDialer(transport, new Dialer(transport), connectTimeout, loginTimeout);
        this.loops = loops;
        this.address = address;
        this.credentials = credentials;
        this.tls = tls;
    }

    /** As above, with a fixed address and account. */
    public NettyServerConnector(
            NetworkTransport transport,
            EventLoopGroup loops,
            Address address,
            String user,
            Secret password,
            ServerTlsConfig tls,
            Duration connectTimeout,
            Duration loginTimeout) {
        this(transport, loops, () -> address, fixed(user, password), tls, connectTimeout, loginTimeout);
    }

    private static Supplier<Credentials> fixed(String user, Secret password) {
        Credentials credentials = new Credentials(user, password);
        return () -> credentials;
    }

    @Override
    public CompletionStage<ServerConnection> connect() {
        Address to = address.get();
        ServerLogin login = ServerLogin.own(credentials.get());
        CompletableFuture<ServerConnection> result = dialer.connect(
                new Bootstrap(),
                loops.next(),
                new ServerAccount(to, login, false, tls.serverKey()),
                connectionTls(to),
                null,
                open::add);
        result.whenComplete((connection, failure) -> login.secret().wipe());
        return result;
    }

    /** Closes all connections, because they lead to a former server. */
    public void disconnect() {
        open.close();
    }

    /** Returns the TLS settings for a server, kept while that stays the same: they read files. */
    private synchronized ConnectionTls connectionTls(Address to) {
        if (settings == null || !to.equals(settingsOf)) {
            settings = new ConnectionTls(tls, to);
            settingsOf = to;
        }
        return settings;
    }
}
