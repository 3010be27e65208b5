package io.understudy.plugins.mirror.warmth;

import org.jspecify.annotations.Nullable;

/**
 * The excess against which warmth is measured: the highest one since the standby's restart, or since the first probes,
 * that is above the target for certain. Immutable.
 *
 * @param excess NaN while there is none
 * @param sinceRestart whether the proxy saw the restart
 */
record ColdReference(double excess, boolean sinceRestart) {
    static final ColdReference NONE = new ColdReference(Double.NaN, false);
    static final ColdReference RESTARTED = new ColdReference(Double.NaN, true);

    /** An excess of fewer probes would be noise. */
    private static final int FEWEST_PROBES = 30;

    /** Returns the reference when another excess has been measured. The noise of a warm standby is none. */
    ColdReference with(Estimate measured, double target) {
        if (!measured.known()
                || measured.low() <= target
                || !Double.isNaN(excess) && measured.samples() < FEWEST_PROBES) {
            return this;
        }
        return Double.isNaN(excess) || measured.mean() > excess
                ? new ColdReference(measured.mean(), sinceRestart)
                : this;
    }

    /** Returns 0 for as cold as the reference to 1 for as warm as the primary, or NaN. */
    double warmth(Estimate measured, double target) {
        if (!measured.known() || !measured.bounded()) {
            return Double.NaN;
        }
        if (Double.isNaN(excess)) {
            return measured.mean() <= target ? 1 : Double.NaN;
        }
        return excess <= target ? 1 : 1 - Math.min(1, Math.max(0, measured.mean()) / excess);
    }

    @Nullable
    String from() {
        return sinceRestart ? "restart" : Double.isNaN(excess) ? null : "first_probes";
    }
}
