package io.understudy.demo;

import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.embedded.EmbeddedException;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.host.PluginTypes;
import io.understudy.remote.AdminClient;
import io.understudy.runtime.RunningProxy;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

/** The proxy in this process, before the servers of an experiment. */
public final class DemoProxy implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final RunningProxy proxy;
    private final UnderstudyConfig config;

    private DemoProxy(RunningProxy proxy, UnderstudyConfig config) {
        this.proxy = proxy;
        this.config = config;
    }

    /**
     * Starts it with a configuration.
     *
     * @param name of the configuration in messages
     */
    public static DemoProxy start(String name, String yaml) throws Exception {
        return start(name, yaml, Map.of());
    }

    /** Starts it with a configuration of {@code docs/examples}, which are part of the program. */
    public static DemoProxy startExample(String name, Map<String, String> environment) throws Exception {
        try (InputStream in = DemoProxy.class.getResourceAsStream("/examples/" + name)) {
            if (in == null) {
                throw new IOException("examples/" + name + " is missing from the class path; build proxy-cli anew");
            }
            return start(name, new String(in.readAllBytes(), StandardCharsets.UTF_8), environment);
        }
    }

    private static DemoProxy start(String name, String yaml, Map<String, String> environment) throws Exception {
        PluginTypes plugins = PluginTypes.installed();
        LoadedConfig loaded = ConfigLoader.load(yaml, name, plugins.records(), environment::get);
        return new DemoProxy(RunningProxy.start(loaded, plugins, () -> loaded), loaded.config());
    }

    /**
     * Starts it before a pair. Its monitor is {@code understudy}.
     *
     * @param mirror the account of the standby
     * @param sections of the configuration besides those of the servers, such as {@code plugins}
     */
    public static DemoProxy start(String name, EmbeddedPair pair, String mirror, String password, String sections)
            throws Exception {
        String text =
                """
                primary:
                  address: 127.0.0.1:%d
                  tls: { mode: disabled }
                  monitor: { user: understudy, password: %s }
                standbys:
                  - { name: standby-1, address: "127.0.0.1:%d", tls: { mode: disabled }, user: %s, password: %s }
                """.formatted(pair.primary().port(), password, pair.standby().port(), mirror, password);
        return startReachable(name, password, text + sections);
    }

    /** Starts it with a port of its own and an admin endpoint that {@link #admin} and commands can call. */
    public static DemoProxy startReachable(String name, String password, String sections) throws Exception {
        int port;
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = probe.getLocalPort();
        }
        return start(name, """
                listen: { address: "127.0.0.1:0", maxConnections: 200 }
                admin: { address: "127.0.0.1:%d", token: %s-%s-%s }
                """.formatted(port, password, password, password) + sections);
    }

    public RunningProxy running() {
        return proxy;
    }

    public UnderstudyConfig config() {
        return config;
    }

    /** Returns a client of the admin endpoint, for a proxy of {@link #startReachable}. */
    public AdminClient admin() throws IOException {
        return AdminClient.of(config.admin());
    }

    public int port() {
        return ((InetSocketAddress) proxy.proxy().addresses().get(0)).getPort();
    }

    /** Returns the port of the admin endpoint, which the configuration has on. */
    public int adminPort() {
        return Objects.requireNonNull(proxy.adminAddress(), "the admin endpoint is on")
                .getPort();
    }

    /** Returns the JDBC URL without user and password; text statements unless the caller adds another setting. */
    public String url(String schema) {
        return "jdbc:mariadb://127.0.0.1:" + port() + "/" + schema + "?sslMode=disable";
    }

    /** Returns what a plugin has published. */
    @SuppressWarnings("unchecked")
    public Map<String, Object> view(String name) {
        return (Map<String, Object>)
                Objects.requireNonNull(proxy.proxy().published().views().get(name), name)
                        .get();
    }

    /**
     * Waits until what a plugin has published is as wanted, for at most a minute.
     *
     * @throws EmbeddedException with {@code otherwise}, the time and the view
     */
    public void await(String name, Predicate<Map<String, Object>> wanted, String otherwise)
            throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!wanted.test(view(name))) {
            if (System.nanoTime() - deadline > 0) {
                throw new EmbeddedException(otherwise + " after " + PATIENCE.toSeconds() + " s: " + view(name));
            }
            Thread.sleep(20);
        }
    }

    @Override
    public void close() {
        proxy.close();
    }
}
