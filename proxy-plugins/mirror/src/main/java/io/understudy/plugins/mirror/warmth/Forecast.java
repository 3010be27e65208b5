package io.understudy.plugins.mirror.warmth;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The cost of a promotion now, and the time from which it would cost nothing. NaN where it is not known.
 *
 * <p>One curve: the excess falls by a power of the pages that the standby's pool lacks against the primary's, and each
 * page that a statement reads fills one of them. The power is 1 if all pages are read alike and higher if some are hot;
 * that, and the interval of the excess, make the bounds.
 *
 * @param excessFirst1000 page reads above the primary's of each of the first 1,000 statements, on average
 * @param extraReadsFirstMinute page reads above the primary's in the first minute, at the primary's present rate
 * @param overCapacity seconds for which reads would ask for more than the capacity; infinite for more than a day
 * @param capacity page reads a second that the standby can do
 * @param capacityConfigured whether that is {@code standbyIops}; otherwise the highest rate seen
 * @param untilWarm seconds until the excess is at the target at the present rate of mirroring; infinite if it does not
 *     fall
 * @param declines whether it is known how many pages are missing, without which nothing says that the excess falls
 */
record Forecast(
        double excessFirst1000,
        double extraReadsFirstMinute,
        Seconds overCapacity,
        double capacity,
        boolean capacityConfigured,
        Seconds untilWarm,
        boolean declines) {
    static final Forecast UNKNOWN =
            new Forecast(Double.NaN, Double.NaN, Seconds.UNKNOWN, Double.NaN, false, Seconds.UNKNOWN, false);

    private static final double DAY = 86_400;
    private static final double MINUTE = 60;
    private static final double FIRST_STATEMENTS = 1000;
    /** Steps in which the time is followed: the first one's share of a second, and their growth. */
    private static final double FIRST_STEP = 0.05;

    private static final double STEP_GROWTH = 1.08;
    private static final int STEPS = 250;
    /** Powers by which the excess falls with the missing pages. */
    private static final double HOT = 2;

    private static final double LIKELY = 1.5;
    private static final double EVEN = 1;
    /** Share of the excess's interval at each bound of the power, so that both together are at 95 %. */
    private static final double JOINT = 0.7;

    private static final int PARTS = 10;

    /**
     * Seconds with their bounds. The middle is NaN if it may well be wrong by more than a factor of two.
     *
     * @param high may be infinite
     */
    record Seconds(double low, double middle, double high) {
        static final Seconds UNKNOWN = new Seconds(Double.NaN, Double.NaN, Double.NaN);
        /** Seconds that count as none. */
        private static final double FEW = 2;
        /** The bounds are this factor from a middle that is within a factor of two of what then happens. */
        private static final double WIDE = 3;

        static Seconds of(double low, double middle, double high) {
            if (Double.isNaN(low) || Double.isNaN(middle) || Double.isNaN(high)) {
                return UNKNOWN;
            }
            boolean known = low == high || high <= Math.max(FEW, WIDE * middle) && middle <= Math.max(FEW, WIDE * low);
            return new Seconds(low, known ? middle : Double.NaN, high);
        }
    }

    /**
     * The figures known at the time of a forecast.
     *
     * @param excess with its interval, by probes
     * @param probedAt statements mirrored before these probes, on average
     * @param now statements mirrored so far
     * @param missing pages that the standby's pool lacks now, NaN if that is not known or it no longer fills
     * @param filledBeside pages that come into the pool beside the excess, per statement: the floor, and by writes
     * @param allReads the primary's page reads per query with those of writes
     * @param load the primary's queries a second, or NaN
     * @param mirrored statements mirrored a second
     * @param capacity page reads a second, or NaN
     */
    record Situation(
            Estimate excess,
            double probedAt,
            double now,
            double missing,
            double filledBeside,
            double allReads,
            double load,
            double mirrored,
            double target,
            double capacity,
            boolean capacityConfigured) {
        /** Returns the present excess and its future by one power; without a known number of pages it stays. */
        Curve curve(double measured, double power) {
            double excess = Math.max(0, measured);
            if (Double.isNaN(missing)) {
                return new Curve(excess, Double.POSITIVE_INFINITY, 0, 1);
            }
            double lacking = Math.max(0, missing);
            double then = lacking + Math.max(0, now - probedAt) * (excess + filledBeside);
            double present = then > 0 ? excess * Math.pow(lacking / then, power) : excess;
            return new Curve(present, lacking, filledBeside, power);
        }
    }

    /** The excess while pages are read, of which each takes the place of a missing one. */
    private static final class Curve {
        private final double first;
        private final double all;
        private final double beside;
        private final double power;
        private double missing;

        Curve(double excess, double missing, double beside, double power) {
            this.first = excess;
            this.all = missing;
            this.missing = missing;
            this.beside = beside;
            this.power = power;
        }

        double excess() {
            return missing <= 0 ? 0 : all == Double.POSITIVE_INFINITY ? first : first * Math.pow(missing / all, power);
        }

        /** Goes on by some statements; returns what each of them reads above the primary. */
        double read(double statements) {
            double before = missing;
            double each = excess();
            missing = Math.max(0, before - statements / 2 * (each + beside));
            double middle = excess();
            missing = Math.max(0, before - statements * (middle + beside));
            return middle;
        }
    }

    static Forecast of(Situation at) {
        double mean = at.excess().mean();
        // The bounds of the excess and of the power together.
        double low = mean - JOINT * (mean - at.excess().low());
        double high = mean + JOINT * (at.excess().high() - mean);
        boolean declines = !Double.isNaN(at.missing());
        double[] likely = promoted(at.curve(mean, LIKELY), at);
        double least = promoted(at.curve(low, HOT), at)[1];
        double warmest = untilWarm(at.curve(low, HOT), at);
        Curve first = at.curve(mean, LIKELY);
        double sum = 0;
        for (int part = 0; part < PARTS; part++) {
            sum += first.read(FIRST_STATEMENTS / PARTS) / PARTS;
        }
        return new Forecast(
                sum,
                likely[0],
                Seconds.of(declines ? least : Math.min(0, least), likely[1], promoted(at.curve(high, EVEN), at)[1]),
                // A server whose data are all in memory reads nothing: that says nothing of its disk.
                at.capacity() > 0 ? at.capacity() : Double.NaN,
                at.capacityConfigured(),
                Seconds.of(
                        declines ? warmest : 0,
                        untilWarm(at.curve(mean, LIKELY), at),
                        untilWarm(at.curve(high, EVEN), at)),
                declines);
    }

    /** Returns the seconds of mirroring until the excess is at the target. */
    private static double untilWarm(Curve curve, Situation at) {
        double statements = 0;
        double step = 1;
        for (int i = 0; i < STEPS && curve.excess() > at.target(); i++) {
            curve.read(step);
            statements += step;
            step *= STEP_GROWTH;
        }
        if (curve.excess() > at.target()) {
            return Double.POSITIVE_INFINITY;
        }
        return statements == 0 ? 0 : at.mirrored() > 0 ? statements / at.mirrored() : Double.POSITIVE_INFINITY;
    }

    /**
     * Follows the time after a promotion: reads above the capacity wait, so that statements come at the rate at which
     * their pages do. Returns the extra reads of a minute and the seconds at the capacity.
     */
    private static double[] promoted(Curve curve, Situation at) {
        double load = at.load();
        if (Double.isNaN(load) || load <= 0) {
            return new double[] {Double.NaN, Double.NaN};
        }
        // An observed rate below what a warm server reads says how little was asked for, and not what the disk can do.
        boolean unknown = !(at.capacity() > 0) || !at.capacityConfigured() && at.capacity() < load * at.allReads();
        double limit = unknown ? Double.POSITIVE_INFINITY : at.capacity();
        double time = 0;
        double extra = 0;
        double over = 0;
        double step = Math.max(1, load * FIRST_STEP);
        boolean saturated = true;
        for (int i = 0; i < STEPS && time < DAY && (time < MINUTE || saturated); i++) {
            double each = curve.read(step);
            double rate = Math.min(load, limit / Math.max(1e-9, each + at.allReads()));
            saturated = rate < load;
            double seconds = step / rate;
            if (time < MINUTE) {
                extra += each * step * Math.min(1, (MINUTE - time) / seconds);
            }
            over = saturated ? time + seconds : over;
            time += seconds;
            step *= STEP_GROWTH;
        }
        boolean endless = saturated && time >= DAY;
        return new double[] {extra, unknown ? Double.NaN : endless ? Double.POSITIVE_INFINITY : over};
    }

    Map<String, @Nullable Object> view() {
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        view.put("excessFirst1000", Estimate.rounded(excessFirst1000));
        view.put("extraReadsFirstMinute", whole(extraReadsFirstMinute));
        view.put("secondsOverCapacity", endless(overCapacity.middle()));
        view.put("secondsOverCapacityLow", endless(overCapacity.low()));
        view.put("secondsOverCapacityHigh", endless(overCapacity.high()));
        view.put("capacity", whole(capacity));
        view.put("capacityFrom", Double.isNaN(capacity) ? "unknown" : capacityConfigured ? "standbyIops" : "observed");
        view.put("secondsUntilWarm", endless(untilWarm.middle()));
        view.put("secondsUntilWarmLow", endless(untilWarm.low()));
        view.put("secondsUntilWarmHigh", endless(untilWarm.high()));
        view.put("decline", declines ? "measured" : "unknown");
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
