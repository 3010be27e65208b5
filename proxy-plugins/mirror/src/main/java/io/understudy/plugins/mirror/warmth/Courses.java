package io.understudy.plugins.mirror.warmth;

import java.util.ArrayList;
import java.util.List;

/**
 * The courses of the excess that agree with the probes so far, so that a forecast can tell what these leave open. With
 * few probes that is nearly all.
 *
 * @param likely with their likelihoods
 * @param declines whether the probes exclude that the cold pages stay as they are
 */
record Courses(List<Course> likely, boolean declines) {
    private static final double[] OFFSETS = {0, 100, 1_000, 10_000, 100_000, 1_000_000};
    private static final double[] SLOPES = {0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2.5, 4};
    private static final double[] KEPT = {0, 0.5, 1};
    /** The probability of each of them before any probe. */
    private static final double[] BEFORE = {1, 0.5, 0.2};
    /**
     * Fall in powers of the statements from which on a power law is unlikely: before a table is nearly all in the pool,
     * no load falls so steeply, and the first few probes easily seem to.
     */
    private static final double STEEP = 0.5;
    /** The factor by which courses that end with a full pool are before any probe than power laws together. */
    private static final double FILLING = 9;
    /** Courses less likely than this against the best are left out. */
    private static final double UNLIKELY = 0.01;

    /** A point from which courses begin: the excess after some statements, above the primary's reads per query. */
    record Level(Estimate excess, double statements, double floor) {}

    /**
     * Weighs the courses.
     *
     * @param points of the probes
     */
    static Courses of(List<WarmingCurve.Point> points, Level level, MissingPages missing) {
        List<Course> all = powers(points);
        int powers = all.size();
        if (missing.count() > 0) {
            for (double offset : OFFSETS) {
                all.add(new Course.Filling(offset, missing, FILLING / OFFSETS.length));
            }
        }
        double[] precision = precision(points);
        double[] errors = new double[all.size()];
        double least = Double.MAX_VALUE;
        for (int i = 0; i < errors.length; i++) {
            errors[i] = i < powers
                    ? squaredError(points, precision, level.floor(), (Course.Power) all.get(i))
                    : squaredError(points, precision, level, all.get(i));
            least = Math.min(least, errors[i]);
        }
        // No course is exact: errors above those that chance explains make all of them less certain.
        double scale = Math.max(1, least / Math.max(1, points.size() - 2));
        double most = 0;
        for (int i = 0; i < errors.length; i++) {
            errors[i] = all.get(i).likelihood() * Math.exp((least - errors[i]) / (2 * scale));
            most = Math.max(most, errors[i]);
        }
        List<Course> likely = new ArrayList<>();
        for (int i = 0; i < errors.length; i++) {
            if (errors[i] >= UNLIKELY * most) {
                likely.add(all.get(i).weighing(errors[i]));
            }
        }
        boolean constant = likely.get(0) instanceof Course.Power first && first.slope() == 0;
        return new Courses(likely, !constant);
    }

    /** Returns the excess after other statements than those at which it was estimated, by the likeliest course. */
    Estimate continued(Level level, double statements) {
        Course best = likely.get(0);
        for (Course course : likely) {
            best = course.likelihood() > best.likelihood() ? course : best;
        }
        Course.Falling falling = best.from(level.excess().mean(), level.floor(), level.statements());
        return level.excess().at(falling.after(statements));
    }

    /** Returns the power laws, the constant one first, with how likely they are before any probe. */
    private static List<Course> powers(List<WarmingCurve.Point> points) {
        double latest = points.isEmpty() ? 0 : points.get(points.size() - 1).statements();
        List<Course> powers = new ArrayList<>();
        powers.add(Course.Power.CONSTANT);
        for (double offset : OFFSETS) {
            for (double slope : SLOPES) {
                for (int i = 0; i < KEPT.length; i++) {
                    double steep = slope * latest / (latest + offset + 1) / STEEP;
                    powers.add(new Course.Power(offset, slope, KEPT[i], BEFORE[i] / (1 + steep * steep)));
                }
            }
        }
        double sum = powers.stream().mapToDouble(Course::likelihood).sum();
        powers.replaceAll(course -> course.weighing(course.likelihood() / sum));
        return powers;
    }

    /** Returns the inverse of each mean's variance, by the variance within all bins. */
    private static double[] precision(List<WarmingCurve.Point> points) {
        double squares = 0;
        double freedom = 0;
        for (WarmingCurve.Point point : points) {
            squares += point.squaredErrors();
            freedom += Math.max(0, point.samples() - 1);
        }
        double variance = freedom > 0 ? squares / freedom : 0;
        double[] precision = new double[points.size()];
        for (int i = 0; i < precision.length; i++) {
            double samples = points.get(i).samples();
            precision[i] = 1 / (variance / samples + 1 / (samples * samples));
        }
        return precision;
    }

    /** Returns the squared error, in variances, that the course leaves at the likeliest height. */
    private static double squaredError(
            List<WarmingCurve.Point> points, double[] precision, Level level, Course course) {
        double least = Double.MAX_VALUE;
        for (int step = -2; step <= 2; step++) {
            double excess = level.excess().mean() + step * level.excess().error();
            Course.Falling falling = course.from(excess, level.floor(), level.statements());
            double error = 0;
            for (int i = 0; i < precision.length; i++) {
                WarmingCurve.Point point = points.get(i);
                double rest = point.pages() - level.floor() - falling.after(point.statements());
                error += precision[i] * rest * rest;
            }
            least = Math.min(least, error);
        }
        return least;
    }

    /** As above for a power law, whose height is free. */
    private static double squaredError(
            List<WarmingCurve.Point> points, double[] precision, double floor, Course.Power course) {
        double products = 0;
        double squares = 0;
        double[] falls = new double[precision.length];
        for (int i = 0; i < falls.length; i++) {
            falls[i] = course.decline(0, points.get(i).statements());
            products += precision[i] * falls[i] * (points.get(i).pages() - course.kept() * floor);
            squares += precision[i] * falls[i] * falls[i];
        }
        double height = squares > 0 ? Math.max(0, products / squares) : 0;
        double error = 0;
        for (int i = 0; i < falls.length; i++) {
            double rest = points.get(i).pages() - course.kept() * floor - height * falls[i];
            error += precision[i] * rest * rest;
        }
        return error;
    }
}
