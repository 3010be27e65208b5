package io.understudy.plugins.mirror.warmth;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A mean with its 95 % confidence interval. All are NaN while it is unknown, but its bounds may be known. If
 * {@code high} is infinite, {@code mean} is a lower bound itself.
 *
 * @param samples effective number of samples behind it
 */
public record Estimate(double mean, double low, double high, double samples) {
    public static final Estimate UNKNOWN = new Estimate(Double.NaN, Double.NaN, Double.NaN, 0);

    static final double Z = 1.96;

    /**
     * Standard error of a median, in those of a mean, for a normal distribution; and quartile distance in deviations.
     */
    private static final double MEDIAN = 1.253;

    private static final double QUARTILES = 1.349;

    public boolean known() {
        return !Double.isNaN(mean);
    }

    /** Returns whether there is an upper bound. */
    boolean bounded() {
        return !Double.isInfinite(high);
    }

    /** Returns this minus {@code other}, as independent estimates; unknown if one is. */
    public Estimate minus(Estimate other) {
        if (!known()) {
            return UNKNOWN;
        }
        if (!other.known()) {
            // What the other is cannot be below 0.
            return new Estimate(Double.NaN, Double.NaN, high, samples);
        }
        double difference = mean - other.mean;
        return new Estimate(
                difference,
                difference - Math.hypot(mean - low, other.high - other.mean),
                difference + Math.hypot(high - mean, other.mean - other.low),
                samples);
    }

    /** Returns the interval alone. */
    Estimate withoutMean() {
        return new Estimate(Double.NaN, low, high, samples);
    }

    /** Returns the figures for a JSON view; what is unknown is null. */
    public Map<String, @Nullable Object> view() {
        return view("probes");
    }

    /** As {@link #view()}, with the number of samples under the given name. */
    public Map<String, @Nullable Object> view(String samplesAs) {
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        view.put("estimate", rounded(mean));
        view.put("low", rounded(low));
        view.put("high", rounded(high));
        view.put(samplesAs, Math.round(samples));
        return view;
    }

    /** Returns {@code value} with four decimals, or null if it is not a finite number. */
    public static @Nullable Double rounded(double value) {
        return Double.isNaN(value) || Double.isInfinite(value) ? null : Math.round(value * 1e4) / 1e4;
    }

    /** Returns the value below which a share of the others is. */
    static double quantile(double[] sorted, double share) {
        double at = share * (sorted.length - 1);
        int below = (int) at;
        int above = Math.min(sorted.length - 1, below + 1);
        return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
    }

    /** Returns the standard error of the median by the distance of the quartiles. */
    static double medianError(double[] sorted) {
        double spread = (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / QUARTILES;
        return MEDIAN * spread / Math.sqrt(sorted.length);
    }
}
