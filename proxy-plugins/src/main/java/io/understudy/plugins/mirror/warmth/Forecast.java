package io.understudy.plugins.mirror.warmth;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The cost of a promotion now, and the time from which it would cost nothing. NaN where it is not known.
 *
 * @param excessFirst1000 page reads above the primary's of each of the first 1,000 statements, on average
 * @param extraReadsFirstMinute page reads above the primary's in the first minute, at the primary's present rate
 * @param secondsOverCapacity how long reads would ask for more than the capacity; infinite for more than a day
 * @param capacity page reads a second that the standby can do
 * @param capacityConfigured whether that is {@code standbyIops}; otherwise the highest rate seen
 * @param secondsUntilWarm until the excess is at the target at the present rate of mirroring; infinite if it does not
 *     fall
 * @param measuredDecline whether the decline was measured; otherwise the excess is taken to stay
 */
record Forecast(
        double excessFirst1000,
        double extraReadsFirstMinute,
        double secondsOverCapacity,
        double capacity,
        boolean capacityConfigured,
        double secondsUntilWarm,
        boolean measuredDecline) {
    static final Forecast UNKNOWN =
            new Forecast(Double.NaN, Double.NaN, Double.NaN, Double.NaN, false, Double.NaN, false);

    private static final int STEPS = 2_000;
    private static final double DAY = 86_400;
    private static final double MINUTE = 60;
    private static final double STEP_GROWTH = 1.02;

    /**
     * @param now statements mirrored so far
     * @param excess at {@code now}
     * @param floor the primary's page reads per query, those of writes included
     * @param load the primary's queries a second, or NaN
     * @param mirrored statements mirrored a second
     * @param capacity page reads a second, or NaN
     */
    static Forecast of(
            ExcessCurve.Fit fit,
            double now,
            double excess,
            double floor,
            double load,
            double mirrored,
            double target,
            double capacity,
            boolean configured) {
        double above = Math.max(0, excess);
        double first = 0;
        for (int i = 0; i < 20; i++) {
            first += fit.at(above, now, now + 25 + 50.0 * i) / 20;
        }
        double[] promoted = promoted(fit, now, above, floor, load, capacity);
        return new Forecast(
                excess > 0 ? first : excess,
                promoted[0],
                promoted[1],
                capacity,
                configured,
                untilWarm(fit, now, above, mirrored, target),
                fit.slope() > 0);
    }

    /**
     * Follows the time after a promotion: reads above the capacity wait, so that statements come at the rate at which
     * their pages do. Returns the extra reads of a minute and the seconds at the capacity.
     */
    private static double[] promoted(
            ExcessCurve.Fit fit, double now, double excess, double floor, double load, double capacity) {
        if (Double.isNaN(load) || load <= 0) {
            return new double[] {Double.NaN, Double.NaN};
        }
        double limit = Double.isNaN(capacity) ? Double.POSITIVE_INFINITY : capacity;
        double time = 0;
        double served = 0;
        double extra = 0;
        double over = 0;
        double step = Math.max(1, load / 100);
        boolean saturated = true;
        for (int i = 0; i < STEPS && time < DAY && (time < MINUTE || saturated); i++) {
            double each = fit.at(excess, now, now + served + step / 2);
            double rate = Math.min(load, limit / Math.max(1e-9, each + floor));
            saturated = rate < load;
            double seconds = step / rate;
            if (time < MINUTE) {
                extra += each * step * Math.min(1, (MINUTE - time) / seconds);
            }
            over = saturated ? time + seconds : over;
            time += seconds;
            served += step;
            step *= STEP_GROWTH;
        }
        boolean endless = saturated && (fit.slope() == 0 || over >= DAY);
        return new double[] {extra, Double.isNaN(capacity) ? Double.NaN : endless ? Double.POSITIVE_INFINITY : over};
    }

    private static double untilWarm(ExcessCurve.Fit fit, double now, double excess, double mirrored, double target) {
        if (excess <= target) {
            return 0;
        }
        if (fit.slope() <= 0 || !(mirrored > 0)) {
            return Double.POSITIVE_INFINITY;
        }
        double from = now + fit.offset() + 1;
        return (from * Math.pow(excess / target, 1 / fit.slope()) - from) / mirrored;
    }

    Map<String, @Nullable Object> view() {
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        view.put("excessFirst1000", Estimate.rounded(excessFirst1000));
        view.put("extraReadsFirstMinute", whole(extraReadsFirstMinute));
        view.put("secondsOverCapacity", endless(secondsOverCapacity));
        view.put("capacity", whole(capacity));
        view.put("capacityFrom", Double.isNaN(capacity) ? "unknown" : capacityConfigured ? "standbyIops" : "observed");
        view.put("secondsUntilWarm", endless(secondsUntilWarm));
        view.put("decline", measuredDecline ? "measured" : "unknown");
        return view;
    }

    private static @Nullable Object whole(double value) {
        return Double.isNaN(value) ? null : Math.round(value);
    }

    /** Returns seconds, or the text "more than a day". */
    private static @Nullable Object endless(double value) {
        return value >= DAY ? "more than a day" : whole(value);
    }
}
