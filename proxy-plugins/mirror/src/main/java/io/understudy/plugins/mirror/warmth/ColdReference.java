package io.understudy.plugins.mirror.warmth;

import org.jspecify.annotations.Nullable;

/**
 * The excess against which warmth is measured: the highest one since the standby's restart, or since the first probes,
 * that is above the target for certain. Immutable.
 *
 * @param excess NaN while there is none
 * @param sinceRestart whether the proxy saw the restart
 * @param measured whether there was an excess since then, be it none that is certain
 */
record ColdReference(double excess, boolean sinceRestart, boolean measured) {
    static final ColdReference NONE = new ColdReference(Double.NaN, false, false);
    static final ColdReference RESTARTED = new ColdReference(Double.NaN, true, false);

    /** An excess of fewer probes would be noise. */
    private static final int FEWEST_PROBES = 30;
    /** Targets that the excess may be off: a wider interval has everything between cold and warm in it. */
    private static final double WIDEST = 3.5;

    /** Returns the reference when another excess has been measured. The noise of a warm standby is none. */
    ColdReference with(Estimate now, double target) {
        if (!now.known()) {
            return this;
        }
        boolean noise = now.low() <= target || !Double.isNaN(excess) && now.samples() < FEWEST_PROBES;
        boolean higher = !noise && (Double.isNaN(excess) || now.mean() > excess);
        return higher || !measured ? new ColdReference(higher ? now.mean() : excess, sinceRestart, true) : this;
    }

    /** Returns 0 for as cold as the reference to 1 for as warm as the primary, or NaN. */
    double warmth(Estimate now, double target) {
        double margin = (now.high() - now.low()) / 2;
        boolean wide = margin > Math.max(WIDEST * target, Double.isNaN(excess) ? 0 : excess);
        if (!now.known() || wide) {
            return Double.NaN;
        }
        if (Double.isNaN(excess)) {
            return now.mean() <= target ? 1 : Double.NaN;
        }
        return excess <= target ? 1 : 1 - Math.min(1, Math.max(0, now.mean()) / excess);
    }

    @Nullable
    String from() {
        return measured ? sinceRestart ? "restart" : "first_probes" : null;
    }
}
