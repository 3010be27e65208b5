package io.understudy.demo.failover;

import io.understudy.config.UnderstudyConfig;
import io.understudy.demo.DemoProxy;
import io.understudy.embedded.EmbeddedException;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.lost.LostSource;
import io.understudy.remote.AdminClient;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The proxy with the black box before two candidates, each of which is known as a standby too. */
final class FailoverProxy implements AutoCloseable {
    static final String FIRST = "server-1";
    static final String SECOND = "server-2";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final DemoProxy proxy;
    private final AdminClient admin;
    private final LostSource lost;

    private FailoverProxy(DemoProxy proxy) throws IOException {
        this.proxy = proxy;
        admin = AdminClient.of(proxy.config().admin());
        lost = new LostSource(admin, proxy.config(), List.of());
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
        return new FailoverProxy(DemoProxy.start("demo failover", text));
    }

    /** JDBC URL without user and password. */
    String url() {
        return proxy.url("") + "&connectTimeout=5000&socketTimeout=20000";
    }

    UnderstudyConfig config() {
        return proxy.config();
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
