package io.understudy.it.legs;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.ProxyServer;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.plugin.ProxyPlugin;
import java.net.InetSocketAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A proxy in this process, on a free port of all loopback addresses. */
final class ProxyUnderTest implements AutoCloseable {
    private final ProxyServer server;
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final int port;

    /**
     * @param listen further keys of {@code listen:}, in YAML's flow style without braces; may be empty
     * @param primary further keys of {@code primary:}, likewise
     */
    ProxyUnderTest(int serverPort, String listen, String primary) throws Exception {
        this(serverPort, listen, primary, null);
    }

    /** @param plugin a plugin to run with an empty section; null for none */
    ProxyUnderTest(int serverPort, String listen, String primary, @Nullable ProxyPlugin<?> plugin) throws Exception {
        server = new ProxyServer(
                config(serverPort, listen, primary, plugin),
                plugin == null ? Map.of() : Map.of(plugin.id(), plugin),
                meters);
        server.start();
        port = ((InetSocketAddress) server.addresses().get(0)).getPort();
    }

    static LoadedConfig config(int serverPort, String listen, String primary) throws Exception {
        return config(serverPort, listen, primary, null);
    }

    private static LoadedConfig config(int serverPort, String listen, String primary, @Nullable ProxyPlugin<?> plugin)
            throws Exception {
        return ConfigLoader.load(
                """
                listen: { address: "0.0.0.0:0"%s }
                primary: { address: "127.0.0.1:%d"%s }
                admin: { address: "127.0.0.1:0" }
                plugins: { %s }
                """.formatted(more(listen), serverPort, more(primary), plugin == null ? "" : plugin.id() + ": {}"),
                "test.yaml",
                plugin == null ? Map.of() : Map.of(plugin.id(), plugin.configType()),
                name -> null);
    }

    private static String more(String keys) {
        return keys.isEmpty() ? "" : ", " + keys;
    }

    ProxyServer server() {
        return server;
    }

    /** Returns the number of connections with that outcome of the handshake. */
    double connections(String outcome) {
        var counter =
                meters.find("understudy.connections").tag("outcome", outcome).counter();
        return counter == null ? 0 : counter.count();
    }

    @Override
    public void close() {
        server.close();
    }
}
