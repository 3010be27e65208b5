package io.understudy.plugins.mirror.warmth;

/** Medians of a few values, and how far to trust them. */
final class Medians {
    /**
     * Standard error of a median, in those of a mean, for a normal distribution; and quartile distance in deviations.
     */
    private static final double MEDIAN = 1.253;

    private static final double QUARTILES = 1.349;

    private Medians() {}

    static double quantile(double[] sorted, double share) {
        double at = share * (sorted.length - 1);
        int below = (int) at;
        int above = Math.min(sorted.length - 1, below + 1);
        return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
    }

    /** Returns the standard error of the median by the distance of the quartiles. */
    static double error(double[] sorted) {
        double spread = (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / QUARTILES;
        return MEDIAN * spread / Math.sqrt(sorted.length);
    }
}
