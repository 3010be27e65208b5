package io.understudy.demo.domains;

import io.understudy.demo.DemoProxy;
import io.understudy.embedded.EmbeddedException;
import io.understudy.embedded.EmbeddedPair;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/** The proxy before a pair, with only the plugin {@code gtid-domain}. */
final class DomainsProxy implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final DemoProxy proxy;

    private DomainsProxy(DemoProxy proxy) {
        this.proxy = proxy;
    }

    /** @param section of {@code gtid-domain} in YAML, not indented */
    static DomainsProxy start(EmbeddedPair pair, String section) throws Exception {
        String plugin = "gtid-domain:\n" + section.indent(2);
        return new DomainsProxy(DemoProxy.start(
                "demo steering", DemoProxy.before(pair, "understudy", ConflictSchema.PASSWORD, plugin)));
    }

    /** JDBC URL without user and password. */
    String url(String schema) {
        return proxy.url(schema) + "&useServerPrepStmts=false";
    }

    @SuppressWarnings("unchecked")
    Map<String, Object> section(String name) {
        return (Map<String, Object>)
                Objects.requireNonNull(proxy.view("domains").get(name), name);
    }

    /** Waits until the guard knows tables and positions and reads the binary log. Returns at once when it is off. */
    void awaitGuard(String guard) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!guard.equals("off")) {
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
