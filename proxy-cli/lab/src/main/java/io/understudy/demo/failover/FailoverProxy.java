package io.understudy.demo.failover;

import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.embedded.EmbeddedException;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.host.PluginTypes;
import io.understudy.remote.AdminClient;
import io.understudy.report.LostSource;
import io.understudy.runtime.RunningProxy;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** The proxy with the black box before two candidates, each of which is known as a standby too. */
final class FailoverProxy implements AutoCloseable {
    static final String FIRST = "server-1";
    static final String SECOND = "server-2";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final RunningProxy proxy;
    private final UnderstudyConfig config;
    private final AdminClient admin;
    private final LostSource lost;

    private FailoverProxy(RunningProxy proxy, UnderstudyConfig config) throws IOException {
        this.proxy = proxy;
        this.config = config;
        admin = AdminClient.of(config.admin());
        lost = new LostSource(admin, config);
    }

    static FailoverProxy start(EmbeddedPair pair, String password) throws Exception {
        int port;
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = probe.getLocalPort();
        }
        String text = """
                listen: { address: "127.0.0.1:0", maxConnections: 200 }
                primary:
                  candidates: ["127.0.0.1:%1$d", "127.0.0.1:%2$d"]
                  tls: { mode: disabled }
                  monitor: { user: understudy, password: %3$s }
                standbys:
                  - { name: %4$s, address: "127.0.0.1:%1$d", tls: { mode: disabled }, user: understudy, password: %3$s }
                  - { name: %5$s, address: "127.0.0.1:%2$d", tls: { mode: disabled }, user: understudy, password: %3$s }
                admin: { address: "127.0.0.1:%6$d", token: %3$s-%3$s-%3$s }
                switchover: { user: switcher, password: %3$s }
                plugins:
                  black-box: { poll: 100ms }
                """.formatted(pair.primary().port(), pair.standby().port(), password, FIRST, SECOND, port);
        PluginTypes plugins = PluginTypes.installed();
        LoadedConfig loaded = ConfigLoader.load(text, "demo failover", plugins.records(), name -> null);
        return new FailoverProxy(RunningProxy.start(loaded, plugins, () -> loaded), loaded.config());
    }

    /** JDBC URL without user and password. */
    String url() {
        int port = ((InetSocketAddress) proxy.proxy().addresses().get(0)).getPort();
        return "jdbc:mariadb://127.0.0.1:" + port + "/?sslMode=disable&connectTimeout=5000&socketTimeout=20000";
    }

    UnderstudyConfig config() {
        return config;
    }

    AdminClient admin() {
        return admin;
    }

    /** Returns what the survivor lacks. */
    Map<String, Object> lost(String survivor) throws IOException, InterruptedException {
        return lost.lost(survivor);
    }

    /** Writes the rescue file, and returns what is in it. */
    Map<String, Object> rescue(String survivor, Path file) throws IOException, InterruptedException {
        Map<String, Object> rescue = lost.rescue(survivor);
        try (OutputStream out = Files.newOutputStream(file)) {
            for (byte[] part = lost.part(rescue); part.length > 0; part = lost.part(rescue)) {
                out.write(part);
            }
        }
        return rescue;
    }

    /** Waits until the black box reads the primary's binary log, or no longer does. */
    void awaitReading(boolean reading) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!(admin.view("lost").get("primary") instanceof Map<?, ?> primary)
                || !Boolean.valueOf(reading).equals(primary.get("read"))) {
            if (System.nanoTime() - deadline > 0) {
                throw new EmbeddedException("the black box does " + (reading ? "not read" : "still read")
                        + " the primary's binary log after " + PATIENCE.toSeconds() + " s");
            }
            Thread.sleep(20);
        }
    }

    @Override
    public void close() {
        proxy.close();
    }
}
