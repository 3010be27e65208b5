package io.understudy.demo.warming;

import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.host.PluginTypes;
import io.understudy.plugins.mirror.SampleRate;
import io.understudy.runtime.RunningProxy;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The proxy before a pair, with only the plugin {@code mirror}. */
final class WarmingProxy implements AutoCloseable {
    static final String PASSWORD = "warming";

    private final RunningProxy proxy;

    private WarmingProxy(RunningProxy proxy) {
        this.proxy = proxy;
    }

    static WarmingProxy start(EmbeddedPair pair) throws Exception {
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
                    user: mirror
                    password: %s
                admin: { address: "127.0.0.1:0" }
                plugins:
                  mirror:
                    rules: [ { name: all, sample: adaptive } ]
                """.formatted(pair.primary().port(), PASSWORD, pair.standby().port(), PASSWORD);
        PluginTypes plugins = PluginTypes.installed();
        LoadedConfig loaded = ConfigLoader.load(text, "demo warming", plugins.records(), name -> null);
        return new WarmingProxy(RunningProxy.start(loaded, plugins, () -> loaded));
    }

    /** JDBC URL of the application. */
    String url() {
        int port = ((InetSocketAddress) proxy.proxy().addresses().get(0)).getPort();
        return "jdbc:mariadb://127.0.0.1:" + port + "/demo?sslMode=disable&useServerPrepStmts=false&user=app&password="
                + PASSWORD;
    }

    Score score() {
        Object first = ((List<?>) proxy.proxy().standbysView()).get(0);
        return new Score(map((Map<?, ?>) first, "warmth"), adaptive());
    }

    private Map<?, ?> adaptive() {
        Object view = Objects.requireNonNull(proxy.proxy().published().views().get("mirror"), "the view of mirror")
                .get();
        List<?> standbys = (List<?>) Objects.requireNonNull(((Map<?, ?>) view).get("standbys"), "standbys");
        return map((Map<?, ?>) standbys.get(0), "adaptive");
    }

    private static Map<?, ?> map(Map<?, ?> of, String key) {
        return (Map<?, ?>) Objects.requireNonNull(of.get(key), key);
    }

    @Override
    public void close() {
        proxy.close();
    }

    /**
     * The standby's warmth as the proxy reports it.
     *
     * @param warmth the view of {@code /api/standbys}
     * @param adaptive the sample of adaptive rules, with the reason of its last change
     */
    record Score(Map<?, ?> warmth, Map<?, ?> adaptive) {
        private static final double NEARLY = 1.6;

        String sample() {
            return String.valueOf(adaptive.get("sample"));
        }

        /** Returns whether the sample is down to what the probes need. */
        boolean settled() {
            return percent(adaptive.get("sample")) <= NEARLY * percent(adaptive.get("least"));
        }

        private static double percent(@Nullable Object value) {
            return SampleRate.parse(String.valueOf(value)).millionths();
        }

        private static double number(@Nullable Object value) {
            return value instanceof Number number ? number.doubleValue() : Double.NaN;
        }

        /** Returns {@code estimate}, {@code low} or {@code high} of the excess, or NaN. */
        double excess(String bound) {
            return number(map(warmth, "excessPages").get(bound));
        }

        double score() {
            return number(warmth.get("warmth"));
        }

        long mirrored() {
            return (long) number(warmth.get("mirroredSinceRestart"));
        }

        /** Returns whether the figures are those since a restart that the proxy has seen. */
        boolean sinceRestart() {
            return "restart".equals(warmth.get("referenceFrom"));
        }

        /** Returns the forecast of the excess of the first 1,000 statements, or NaN. */
        double forecast() {
            return number(map(warmth, "forecast").get("excessFirst1000"));
        }
    }
}
