package io.understudy.plugins.mirror.warmth;

import java.util.Arrays;
import java.util.Comparator;

/**
 * Seconds of a forecast: a 95 % interval, and their median if it is likely to be right within a factor of two. What is
 * not known is NaN.
 *
 * @param high may be infinite
 */
record SecondsInterval(double low, double median, double high) {
    static final SecondsInterval UNKNOWN = new SecondsInterval(Double.NaN, Double.NaN, Double.NaN);

    /** Bounds of the interval, the median, and the bounds of what is likely. */
    private static final double[] SHARES = {0.025, 0.15, 0.5, 0.85, 0.975};

    private static final double FACTOR = 2;
    /** Seconds that count as none. */
    private static final double FEW = 2;

    /** Returns the spread of values that are as likely as their weights say; unknown if one is NaN. */
    static SecondsInterval of(double[] values, double[] weights) {
        Integer[] order = new Integer[values.length];
        double all = 0;
        for (int i = 0; i < order.length; i++) {
            order[i] = i;
            all += weights[i];
            if (Double.isNaN(values[i])) {
                return UNKNOWN;
            }
        }
        Arrays.sort(order, Comparator.comparingDouble(i -> values[i]));
        double[] quantiles = new double[SHARES.length];
        double below = 0;
        int next = 0;
        for (int i : order) {
            below += weights[i];
            while (next < SHARES.length && below >= SHARES[next] * all) {
                quantiles[next++] = values[i];
            }
        }
        while (next < SHARES.length) {
            quantiles[next++] = values[order[order.length - 1]]; // what rounding leaves
        }
        double median = quantiles[2];
        boolean known = quantiles[3] <= Math.max(FEW, FACTOR * median)
                && median <= Math.max(FEW, FACTOR * quantiles[1])
                && quantiles[4] <= Math.max(FEW, FACTOR * FACTOR * median);
        return new SecondsInterval(
                quantiles[0], known || quantiles[0] == quantiles[4] ? median : Double.NaN, quantiles[4]);
    }
}
