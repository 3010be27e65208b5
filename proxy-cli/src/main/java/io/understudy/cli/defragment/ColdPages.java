package io.understudy.cli.defragment;

import java.util.Locale;
import java.util.Map;

/**
 * Page reads of a statement as the proxy estimates them; all NaN while unknown.
 *
 * @param low lower bound of the 95 % interval
 * @param high its upper bound
 */
record ColdPages(double mean, double low, double high) {
    static final ColdPages UNKNOWN = new ColdPages(Double.NaN, Double.NaN, Double.NaN);

    static ColdPages of(Map<?, ?> view, String key) {
        return view.get(key) instanceof Map<?, ?> estimate
                        && estimate.get("estimate") instanceof Number mean
                        && estimate.get("low") instanceof Number low
                        && estimate.get("high") instanceof Number high
                ? new ColdPages(mean.doubleValue(), low.doubleValue(), high.doubleValue())
                : UNKNOWN;
    }

    boolean known() {
        return !Double.isNaN(mean);
    }

    String shown() {
        return known()
                ? String.format(Locale.ROOT, "%.3f (%.3f to %.3f)", mean, low, high)
                : "unknown (too few probes)";
    }
}
