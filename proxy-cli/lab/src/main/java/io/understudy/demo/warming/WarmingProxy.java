package io.understudy.demo.warming;

import io.understudy.demo.DemoProxy;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.plugins.mirror.SampleRate;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The proxy before a pair, with only the plugin {@code mirror}. */
final class WarmingProxy implements AutoCloseable {
    static final String PASSWORD = "warming";

    private final DemoProxy proxy;

    private WarmingProxy(DemoProxy proxy) {
        this.proxy = proxy;
    }

    static WarmingProxy start(EmbeddedPair pair) throws Exception {
        String mirror = "mirror:\n  rules: [ { name: all, sample: adaptive } ]";
        return new WarmingProxy(DemoProxy.start("demo warming", DemoProxy.before(pair, "mirror", PASSWORD, mirror)));
    }

    /** JDBC URL of the application. */
    String url() {
        return proxy.url("demo") + "&useServerPrepStmts=false&user=app&password=" + PASSWORD;
    }

    Score score() {
        Object first = ((List<?>) proxy.running().proxy().standbysView()).get(0);
        return new Score(map((Map<?, ?>) first, "warmth"), adaptive());
    }

    private Map<?, ?> adaptive() {
        List<?> standbys = (List<?>) Objects.requireNonNull(proxy.view("mirror").get("standbys"), "standbys");
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
