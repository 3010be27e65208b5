package io.understudy.client;

import io.netty.channel.EventLoopGroup;
import io.understudy.config.Address;
import io.understudy.config.BackendTls;
import io.understudy.config.BackendTlsMode;
import io.understudy.config.Secret;
import io.understudy.config.Transport;
import io.understudy.plugin.WireConnection;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** One event loop for the tests of a class, and clients on it. */
final class Loops implements AutoCloseable {
    private final NetworkTransport transport = NetworkTransport.resolve(Transport.NIO);
    private final EventLoopGroup group = transport.relayGroup(1, "test-client");

    WireClient client(Address address, String password, BackendTlsMode tls, Duration loginTimeout) {
        return new WireClient(
                transport,
                group,
                address,
                "app",
                Secret.parse(password),
                new BackendTls(tls, null, null, null),
                Duration.ofSeconds(5),
                loginTimeout);
    }

    WireConnection connect(FakeServer server, String password) throws Exception {
        return get(client(server.address(), password, BackendTlsMode.PREFERRED, Duration.ofSeconds(10)));
    }

    /** Waits for the connection; a failed one throws its own exception. */
    static WireConnection get(WireClient client) throws Exception {
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
