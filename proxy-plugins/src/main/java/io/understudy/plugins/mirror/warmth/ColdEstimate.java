package io.understudy.plugins.mirror.warmth;

/**
 * Pages a statement as an exponentially weighted mean: a probe counts half after {@value #HALF_PROBES} further probes,
 * or after 30 seconds in which others came. Not thread-safe.
 */
final class ColdEstimate {
    private static final int HALF_PROBES = 100;
    private static final double HALF_NANOS = 30e9;
    private static final int FEWEST = 10;
    /**
     * Added to the standard error as {@code ALLOWANCE / n}. Without it n probes that found no cold page would make the
     * interval empty; with it the bound is 2.9 / n, where the rule of three has 3 / n.
     */
    private static final double ALLOWANCE = 1.5;

    private double weights;
    private double squares;
    private double sum;
    private double sumOfSquares;
    private double count;
    private double positions;
    private long last;
    private boolean begun;

    /**
     * @param weight statements of the load that the probe stands for
     * @param position statements mirrored before it
     */
    void add(double pages, double weight, double position, long nowNanos) {
        if (begun) {
            double decay = Math.pow(0.5, 1.0 / HALF_PROBES + Math.max(0, nowNanos - last) / HALF_NANOS);
            weights *= decay;
            squares *= decay * decay;
            sum *= decay;
            sumOfSquares *= decay;
            count *= decay;
            positions *= decay;
        }
        begun = true;
        last = nowNanos;
        weights += weight;
        squares += weight * weight;
        sum += weight * pages;
        sumOfSquares += weight * pages * pages;
        count++;
        positions += position;
    }

    long lastNanos() {
        return last;
    }

    /** Returns how many statements were mirrored before the probes, on average. */
    double position() {
        return begun ? positions / count : 0;
    }

    /** Returns the share of the load that was probed, or NaN. */
    double share() {
        return begun ? Math.min(1, count / weights) : Double.NaN;
    }

    Estimate estimate() {
        double samples = begun ? weights * weights / squares : 0;
        if (samples < FEWEST - 0.5) {
            return Estimate.UNKNOWN;
        }
        double mean = sum / weights;
        double variance = Math.max(0, sumOfSquares / weights - mean * mean) * samples / (samples - 1);
        double margin = Estimate.Z * Math.hypot(Math.sqrt(variance / samples), ALLOWANCE / samples);
        return new Estimate(mean, Math.max(0, mean - margin), mean + margin, samples);
    }
}
