package io.understudy.connection;

import io.netty.channel.EventLoopGroup;
import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import io.understudy.config.Transport;
import io.understudy.plugin.ServerConnection;
import io.understudy.testkit.session.FakeServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** One event loop for the tests of a class, with server connections on it. */
final class Loops implements AutoCloseable {
    private final NetworkTransport transport = NetworkTransport.resolve(Transport.NIO);
    private final EventLoopGroup group = transport.relayGroup(1, "test-client");

    NettyServerConnector client(Address address, String password, ServerTlsMode tls, Duration loginTimeout) {
        return client(address, password, new ServerTlsConfig(tls, null, null, null), loginTimeout);
    }

    /** Connects without TLS. */
    NettyServerConnector client(Address address, String password, Path serverKey) {
        ServerTlsConfig tls = new ServerTlsConfig(ServerTlsMode.DISABLED, null, null, null, serverKey);
        return client(address, password, tls, Duration.ofSeconds(10));
    }

    private NettyServerConnector client(Address address, String password, ServerTlsConfig tls, Duration loginTimeout) {
        return new NettyServerConnector(
                transport, group, address, "app", Secret.parse(password), tls, Duration.ofSeconds(5), loginTimeout);
    }

    ServerConnection connect(FakeServer server, String password) throws Exception {
        return get(client(address(server), password, ServerTlsMode.PREFERRED, Duration.ofSeconds(10)));
    }

    static Address address(FakeServer server) {
        return Address.parse("127.0.0.1:" + server.address().getPort());
    }

    /** Waits for the connection. Throws the original exception if it fails. */
    static ServerConnection get(NettyServerConnector client) throws Exception {
        try {
            return client.connect().toCompletableFuture().get(20, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw (Exception) e.getCause();
        }
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
