package io.understudy.connection;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.understudy.plugin.ServerConnection;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Connects and logs in. Thread-safe.
 *
 * @param connectTimeout maximum time for name lookup and TCP connection together
 * @param loginTimeout maximum time from there until the server accepts the login
 */
record ServerDialer(NetworkTransport transport, Dialer dialer, Duration connectTimeout, Duration loginTimeout) {
    /**
     * Connects.
     *
     * @param options of the channel
     * @param header the first bytes sent, or null; ownership passes
     * @param made called with the channel before it is connected
     * @return fails with a {@link ServerConnectionException}
     */
    CompletableFuture<ServerConnection> connect(
            Bootstrap options,
            EventLoop loop,
            ServerAccount account,
            LoginTls tls,
            @Nullable ByteBuf header,
            Consumer<Channel> made) {
        CompletableFuture<ServerConnection> result = new CompletableFuture<>();
        options.handler(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                transport.tune(channel);
                made.accept(channel);
                channel.pipeline().addLast("login", new Login(account, tls, loginTimeout, result));
            }
        });
        dialer.dial(options, loop, account.address(), connectTimeout).addListener((Future<Channel> dialed) -> {
            if (dialed.isSuccess() && header != null) {
                dialed.getNow().writeAndFlush(header);
            } else if (!dialed.isSuccess()) {
                ReferenceCountUtil.release(header);
                result.completeExceptionally(account.failure("connecting: " + explain(dialed.cause()), dialed.cause()));
            }
        });
        return result;
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
