package io.understudy.plugins.mirror.warmth;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The cost of a promotion now, and the time from which it would cost nothing. NaN where it is not known.
 *
 * @param excessFirst1000 page reads above the primary's of each of the first 1,000 statements, on average
 * @param extraReadsFirstMinute page reads above the primary's in the first minute, at the primary's present rate
 * @param overCapacity seconds for which reads would ask for more than the capacity; infinite for more than a day
 * @param capacity page reads a second that the standby can do
 * @param capacityConfigured whether that is {@code standbyIops}; otherwise the highest rate seen
 * @param untilWarm seconds until the excess is at the target at the present rate of mirroring; infinite if it does not
 *     fall
 * @param measuredDecline whether the decline was measured
 */
record Forecast(
        double excessFirst1000,
        double extraReadsFirstMinute,
        SecondsInterval overCapacity,
        double capacity,
        boolean capacityConfigured,
        SecondsInterval untilWarm,
        boolean measuredDecline) {
    static final Forecast UNKNOWN = new Forecast(
            Double.NaN, Double.NaN, SecondsInterval.UNKNOWN, Double.NaN, false, SecondsInterval.UNKNOWN, false);

    private static final double DAY = 86_400;
    private static final double MINUTE = 60;
    /** Steps in which the time after a promotion is followed: the first one's share of a second, and their growth. */
    private static final double FIRST_STEP = 0.05;

    private static final double STEP_GROWTH = 1.08;
    private static final int STEPS = 250;
    private static final double FIRST_STATEMENTS = 1000;
    private static final int PARTS = 10;
    /** Points of a normal distribution at which the excess is taken, in standard errors. */
    private static final double[] ERRORS = {-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2};

    /**
     * The figures known at the time of a forecast.
     *
     * @param now statements mirrored so far
     * @param allReads the primary's page reads per query with those of writes
     * @param load the primary's queries a second, or NaN
     * @param mirrored statements mirrored a second
     * @param capacity page reads a second, or NaN
     */
    record Situation(
            double now,
            double allReads,
            double load,
            double mirrored,
            double target,
            double capacity,
            boolean capacityConfigured) {}

    /** Follows all likely courses of the excess, within its error, and sums up what they lead to. */
    static Forecast of(Courses courses, Courses.Level level, Situation at) {
        int size = courses.likely().size() * ERRORS.length;
        double[] weights = new double[size];
        double[] over = new double[size];
        double[] warm = new double[size];
        double first = 0;
        double minute = 0;
        double all = 0;
        double now = Math.max(at.now(), level.statements());
        for (int i = 0; i < size; i++) {
            Course course = courses.likely().get(i / ERRORS.length);
            double deviation = ERRORS[i % ERRORS.length];
            Course.Falling falling = course.from(
                    level.excess().mean() + deviation * level.excess().error(), level.floor(), level.statements());
            weights[i] = course.likelihood() * Math.exp(-deviation * deviation / 2);
            all += weights[i];
            double[] promoted = promoted(falling, now, at);
            minute += weights[i] * promoted[0];
            over[i] = promoted[1];
            double still = Math.max(0, falling.reaches(at.target()) - now);
            warm[i] = still == 0 ? 0 : at.mirrored() > 0 ? still / at.mirrored() : Double.POSITIVE_INFINITY;
            for (int part = 0; part < PARTS; part++) {
                first += weights[i] * falling.after(now + (part + 0.5) * FIRST_STATEMENTS / PARTS) / PARTS;
            }
        }
        return new Forecast(
                first / all,
                minute / all,
                SecondsInterval.of(over, weights),
                // A server whose data are all in memory reads nothing: that says nothing of its disk.
                at.capacity() > 0 ? at.capacity() : Double.NaN,
                at.capacityConfigured(),
                SecondsInterval.of(warm, weights),
                courses.declines());
    }

    /**
     * Follows the time after a promotion: reads above the capacity wait, so that statements come at the rate at which
     * their pages do. Returns the extra reads of a minute and the seconds at the capacity.
     */
    private static double[] promoted(Course.Falling falling, double now, Situation at) {
        double load = at.load();
        if (Double.isNaN(load) || load <= 0) {
            return new double[] {Double.NaN, Double.NaN};
        }
        // An observed rate below what a warm server reads says how little was asked for, and not what the disk can do.
        boolean unknown = !(at.capacity() > 0) || !at.capacityConfigured() && at.capacity() < load * at.allReads();
        double limit = unknown ? Double.POSITIVE_INFINITY : at.capacity();
        double time = 0;
        double served = 0;
        double extra = 0;
        double over = 0;
        double step = Math.max(1, load * FIRST_STEP);
        boolean saturated = true;
        for (int i = 0; i < STEPS && time < DAY && (time < MINUTE || saturated); i++) {
            double each = falling.after(now + served + step / 2);
            double rate = Math.min(load, limit / Math.max(1e-9, each + at.allReads()));
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
        boolean endless = saturated && time >= DAY;
        return new double[] {extra, unknown ? Double.NaN : endless ? Double.POSITIVE_INFINITY : over};
    }

    Map<String, @Nullable Object> view() {
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        view.put("excessFirst1000", Estimate.rounded(excessFirst1000));
        view.put("extraReadsFirstMinute", whole(extraReadsFirstMinute));
        view.put("secondsOverCapacity", endless(overCapacity.median()));
        view.put("secondsOverCapacityLow", endless(overCapacity.low()));
        view.put("secondsOverCapacityHigh", endless(overCapacity.high()));
        view.put("capacity", whole(capacity));
        view.put("capacityFrom", Double.isNaN(capacity) ? "unknown" : capacityConfigured ? "standbyIops" : "observed");
        view.put("secondsUntilWarm", endless(untilWarm.median()));
        view.put("secondsUntilWarmLow", endless(untilWarm.low()));
        view.put("secondsUntilWarmHigh", endless(untilWarm.high()));
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
