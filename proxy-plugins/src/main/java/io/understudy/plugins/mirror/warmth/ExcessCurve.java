package io.understudy.plugins.mirror.warmth;

import java.util.ArrayList;
import java.util.List;

/**
 * Cold pages a statement against the statements mirrored since the standby's restart. Bounded: a point is kept for each
 * growth of the statements by a fifth. The continuation is a power law {@code (statements + offset)^-slope} through the
 * latest points; the offset stands for what had warmed the standby before the proxy saw it. Not thread-safe.
 */
final class ExcessCurve {
    private static final double GROWTH = 1.2;
    private static final int MOST = 160;
    private static final int FITTED = 12;
    private static final int FEWEST = 4;
    /** Below this the logarithm is mostly noise. */
    private static final double LEAST = 0.005;

    /** A flatter line is no decline. */
    private static final double FLAT = 0.01;

    private static final double[] OFFSETS = {0, 100, 1_000, 10_000, 100_000, 1_000_000};

    private record Point(double statements, double cold) {}

    /**
     * The forecast course of the excess.
     *
     * @param slope 0 where no decline was measured
     */
    record Fit(double offset, double slope) {
        static final Fit CONSTANT = new Fit(0, 0);

        /** Returns the excess after {@code then} statements if it was {@code value} after {@code now}. */
        double at(double value, double now, double then) {
            return slope == 0 ? value : value * Math.pow((then + offset + 1) / (now + offset + 1), -slope);
        }
    }

    private final List<Point> points = new ArrayList<>();

    void clear() {
        points.clear();
    }

    void add(double statements, double cold) {
        Point last = points.isEmpty() ? null : points.get(points.size() - 1);
        if (last == null || statements >= last.statements() * GROWTH + 1) {
            points.add(new Point(statements, cold));
            if (points.size() > MOST) {
                points.remove(0);
            }
        }
    }

    Fit fit(double floor) {
        List<Point> used = new ArrayList<>();
        for (int i = Math.max(0, points.size() - FITTED); i < points.size(); i++) {
            Point point = points.get(i);
            if (point.cold() - floor > LEAST) {
                used.add(point);
            }
        }
        if (used.size() < FEWEST) {
            return Fit.CONSTANT;
        }
        Fit best = Fit.CONSTANT;
        double least = Double.MAX_VALUE;
        for (double offset : OFFSETS) {
            double[] line = line(used, floor, offset);
            if (line[0] > FLAT && line[1] < least) {
                least = line[1];
                best = new Fit(offset, line[0]);
            }
        }
        return best;
    }

    /** Returns slope and squared error of the regression in logarithms. */
    private static double[] line(List<Point> used, double floor, double offset) {
        int n = used.size();
        double sx = 0;
        double sy = 0;
        double sxx = 0;
        double sxy = 0;
        double syy = 0;
        for (Point point : used) {
            double x = Math.log(point.statements() + offset + 1);
            double y = Math.log(point.cold() - floor);
            sx += x;
            sy += y;
            sxx += x * x;
            sxy += x * y;
            syy += y * y;
        }
        double dx = sxx - sx * sx / n;
        if (dx < 1e-9) {
            return new double[] {0, Double.MAX_VALUE};
        }
        double slope = (sxy - sx * sy / n) / dx;
        return new double[] {-slope, syy - sy * sy / n - slope * slope * dx};
    }
}
