package io.understudy.demo.warming;

import io.understudy.demo.DemoProxy;
import io.understudy.plugins.mirror.selection.SampleRate;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The standby's warmth as the proxy reports it.
 *
 * @param warmth the view of {@code /api/standbys}
 * @param adaptive the sample of adaptive rules, with the reason of its last change
 */
record Score(Map<?, ?> warmth, Map<?, ?> adaptive) {
    private static final double NEARLY = 1.6;

    static Score of(DemoProxy proxy) {
        Map<?, ?> standby = (Map<?, ?>) ((List<?>) proxy.running().proxy().standbysView()).get(0);
        List<?> mirrored = (List<?>) Objects.requireNonNull(proxy.view("mirror").get("standbys"), "standbys");
        return new Score(map(standby, "warmth"), map((Map<?, ?>) mirrored.get(0), "adaptive"));
    }

    private static Map<?, ?> map(Map<?, ?> of, String key) {
        return (Map<?, ?>) Objects.requireNonNull(of.get(key), key);
    }

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
