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

    /**
     * Returns the difference between two independent estimates. Its bounds have the distances of both estimates'
     * bounds, added as squares.
     */
    ColdPages minus(ColdPages other) {
        double difference = mean - other.mean;
        return new ColdPages(
                difference,
                difference - Math.hypot(mean - low, other.high - other.mean),
                difference + Math.hypot(high - mean, other.mean - other.low));
    }

    /** Returns the value without the sign of a zero that is shown as one. */
    private static double positive(double value) {
        return Math.abs(value) < 0.0005 ? 0 : value;
    }

    boolean known() {
        return !Double.isNaN(mean);
    }

    String shown() {
        return known()
                ? String.format(Locale.ROOT, "%.3f (%.3f to %.3f)", positive(mean), positive(low), positive(high))
                : "unknown (too few probes)";
    }
}
