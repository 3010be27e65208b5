package io.understudy.connection;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerConnector;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Connects and logs in to one server with one account. Fails with a {@link ServerConnectionException}. Thread-safe. */
public final class NettyServerConnector implements ServerConnector {
    private final NetworkTransport transport;
    private final Dialer dialer;
    private final EventLoopGroup loops;
    private final Supplier<Address> address;
    private final Supplier<Credentials> credentials;
    private final ServerTlsConfig tls;
    private final Duration connectTimeout;
    private final Duration loginTimeout;
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
        this.transport = transport;
        this.dialer = new Dialer(transport);
        this.loops = loops;
        this.address = address;
        this.credentials = credentials;
        this.tls = tls;
        this.connectTimeout = connectTimeout;
        this.loginTimeout = loginTimeout;
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
        CompletableFuture<ServerConnection> result = new CompletableFuture<>();
        Address to = address.get();
        Credentials login = credentials.get();
        ServerAccount account = new ServerAccount(to, login.user(), login.password(), tls);
        ConnectionTls secured = connectionTls(to);
        Bootstrap bootstrap = new Bootstrap().handler(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                transport.tune(channel);
                open.add(channel);
                channel.pipeline().addLast("login", new Login(account, secured, loginTimeout, result));
            }
        });
        dialer.dial(bootstrap, loops.next(), to, connectTimeout).addListener((Future<Channel> connected) -> {
            if (!connected.isSuccess()) {
                result.completeExceptionally(
                        account.failure("connecting: " + explain(connected.cause()), connected.cause()));
            }
        });
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

    private String explain(Throwable cause) {
        if (cause instanceof NameLookupException) {
            return String.valueOf(cause.getMessage());
        }
        if (cause instanceof ConnectTimeoutException) {
            return "nothing within connectTimeout (" + connectTimeout.toMillis() + " ms); check address and firewall";
        }
        if (cause instanceof ConnectException) {
            return "connection refused or no route; is the server running, and is the address right?";
        }
        return cause.getMessage() + "; check the address";
    }
}
