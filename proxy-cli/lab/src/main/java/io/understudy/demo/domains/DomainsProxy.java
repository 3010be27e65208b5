package io.understudy.demo.domains;

import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.embedded.EmbeddedException;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.host.PluginTypes;
import io.understudy.runtime.RunningProxy;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/** The proxy before a pair, with only the plugin {@code gtid-domain}. */
final class DomainsProxy implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final RunningProxy proxy;

    private DomainsProxy(RunningProxy proxy) {
        this.proxy = proxy;
    }

    /** @param section of {@code gtid-domain} in YAML, not indented; empty for no plugin */
    static DomainsProxy start(EmbeddedPair pair, String password, String section) throws Exception {
        String text =
                """
                listen: { address: "127.0.0.1:0", maxConnections: 100 }
                primary:
                  address: 127.0.0.1:%d
                  tls: { mode: disabled }
                  monitor: { user: understudy, password: %s }
                standbys:
                  - name: standby-1
                    address: 127.0.0.1:%d
                    tls: { mode: disabled }
                    user: understudy
                    password: %s
                admin: { address: "127.0.0.1:0" }
                """.formatted(pair.primary().port(), password, pair.standby().port(), password)
                        + (section.isEmpty() ? "" : "plugins:\n  gtid-domain:\n" + section.indent(4));
        PluginTypes plugins = PluginTypes.installed();
        LoadedConfig loaded = ConfigLoader.load(text, "demo steering", plugins.records(), name -> null);
        return new DomainsProxy(RunningProxy.start(loaded, plugins, () -> loaded));
    }

    /** JDBC URL without user and password. */
    String url(String schema) {
        int port = ((InetSocketAddress) proxy.proxy().addresses().get(0)).getPort();
        return "jdbc:mariadb://127.0.0.1:" + port + "/" + schema + "?sslMode=disable&useServerPrepStmts=false";
    }

    @SuppressWarnings("unchecked")
    Map<String, Object> view() {
        return (Map<String, Object>) Objects.requireNonNull(
                        proxy.proxy().published().views().get("domains"), "the plugin publishes its view")
                .get();
    }

    @SuppressWarnings("unchecked")
    Map<String, Object> section(String name) {
        return (Map<String, Object>) Objects.requireNonNull(view().get(name), name);
    }

    /** Waits until the guard knows tables and positions and reads the binary log. Returns at once when it is off. */
    void awaitGuard(String guard) throws InterruptedException {
        if (guard.equals("off")) {
            return;
        }
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            Map<String, Object> state = section("guardState");
            if ("".equals(state.get("problem"))
                    && "reading".equals(state.get("binlog"))
                    && Boolean.FALSE.equals(state.get("dictionaryStale"))
                    && Boolean.FALSE.equals(state.get("learning"))) {
                return;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new EmbeddedException("the guard is not ready after " + PATIENCE.toSeconds() + " s: " + state);
            }
            Thread.sleep(20);
        }
    }

    @Override
    public void close() {
        proxy.close();
    }
}
