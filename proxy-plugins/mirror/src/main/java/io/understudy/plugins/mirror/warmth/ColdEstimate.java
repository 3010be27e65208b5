package io.understudy.plugins.mirror.warmth;

/**
 * Pages a statement as an exponentially weighted mean: a probe counts half after so many further probes, or after some
 * time in which others came. Not thread-safe.
 */
final class ColdEstimate {
    private static final int FEWEST = 10;
    /**
     * Added to the standard error as {@code ALLOWANCE / n}. Without it n probes that found no cold page would make the
     * interval empty; with it the bound is 2.9 / n, where the rule of three has 3 / n.
     */
    private static final double ALLOWANCE = 1.5;

    /** Share of probes that took too long, above which nothing bounds the mean: they may have read any number. */
    private static final double MANY_TIMEOUTS = 0.02;

    private static final double HALF_PROBES = 100;
    private static final double HALF_NANOS = 30e9;

    private double weights;
    private double squares;
    private double sum;
    private double sumOfSquares;
    private double count;
    private double positions;
    private double timeouts;
    private long last;
    private long lastCounted;
    private boolean begun;

    /**
     * Takes a probe in.
     *
     * @param weight statements of the load that the probe stands for
     * @param position statements mirrored before it
     */
    void add(double pages, double weight, double position, long nowNanos) {
        decay(nowNanos);
        begun = true;
        lastCounted = nowNanos;
        weights += weight;
        squares += weight * weight;
        sum += weight * pages;
        sumOfSquares += weight * pages * pages;
        count++;
        positions += Math.log(position + 1);
    }

    /** Takes in a probe that took too long to be counted; as {@link #add}. */
    void addTimeout(double weight, long nowNanos) {
        decay(nowNanos);
        timeouts += weight;
    }

    private void decay(long nowNanos) {
        if (begun || timeouts > 0) {
            double halves = 1 / HALF_PROBES + Math.max(0, nowNanos - last) / HALF_NANOS;
            double decay = Math.pow(0.5, halves);
            weights *= decay;
            squares *= decay * decay;
            sum *= decay;
            sumOfSquares *= decay;
            count *= decay;
            positions *= decay;
            timeouts *= decay;
        }
        last = nowNanos;
    }

    /** Returns when the last probe was counted. */
    long lastNanos() {
        return lastCounted;
    }

    /** Returns the share of the load whose probes took too long to be counted; 0 without any. */
    double timedOutShare() {
        return timeouts > 0 ? timeouts / (timeouts + weights) : 0;
    }

    /** Returns how many statements were mirrored before the probes: the geometric mean, as the pages fall by powers. */
    double position() {
        return begun ? Math.exp(positions / count) - 1 : 0;
    }

    /** Returns the share of the load that was probed, or NaN. */
    double share() {
        return begun ? Math.min(1, count / weights) : Double.NaN;
    }

    /** Returns the mean; without an upper bound while many probes take too long to be counted. */
    Estimate estimate() {
        double samples = begun ? weights * weights / squares : 0;
        if (samples < FEWEST - 0.5) {
            return Estimate.UNKNOWN;
        }
        double mean = sum / weights;
        double variance = Math.max(0, sumOfSquares / weights - mean * mean) * samples / (samples - 1);
        double margin = Estimate.Z * Math.hypot(Math.sqrt(variance / samples), ALLOWANCE / samples);
        double high = timedOutShare() > MANY_TIMEOUTS ? Double.POSITIVE_INFINITY : mean + margin;
        return new Estimate(mean, Math.max(0, mean - margin), high, samples);
    }
}
