package io.understudy.plugins.mirror.warmth;

import java.util.ArrayList;
import java.util.List;

/**
 * Cold pages of the probes against the statements mirrored since the standby's restart. The probes are summed up in
 * bins, a new one for each growth of the statements by a fifth; the latest bins are kept. Not thread-safe.
 */
final class WarmingCurve {
    private static final double GROWTH = 1.2;
    /** In these the statements have grown about sixfold. */
    private static final int KEPT = 10;
    /** The first statements read inner pages and what else all of them share. */
    private static final int FIRST = 100;

    /**
     * The probes of one bin.
     *
     * @param statements mirrored before them, on average
     * @param pages on average
     * @param samples number of equally weighted probes that would say as much
     * @param squaredErrors of so many probes against the mean
     */
    record Point(double statements, double pages, double samples, double squaredErrors) {}

    private static final class Bin {
        private final double from;
        private double count;
        private double positions;
        private double weights;
        private double squares;
        private double sum;
        private double sumOfSquares;

        Bin(double from) {
            this.from = from;
        }

        Point point() {
            double mean = sum / weights;
            double samples = weights * weights / squares;
            double squaredErrors = Math.max(0, sumOfSquares / weights - mean * mean) * samples;
            return new Point(positions / count, mean, samples, squaredErrors);
        }
    }

    private final List<Bin> bins = new ArrayList<>();

    void clear() {
        bins.clear();
    }

    /**
     * Takes a probe in.
     *
     * @param statements mirrored before it; not less than at the last call
     * @param weight statements of the load that it stands for
     */
    void add(double statements, double pages, double weight) {
        if (statements < FIRST) {
            return;
        }
        Bin last = bins.isEmpty() ? null : bins.get(bins.size() - 1);
        if (last == null || statements >= last.from * GROWTH) {
            last = new Bin(statements);
            bins.add(last);
            if (bins.size() > KEPT) {
                bins.remove(0);
            }
        }
        last.count++;
        last.positions += statements;
        last.weights += weight;
        last.squares += weight * weight;
        last.sum += weight * pages;
        last.sumOfSquares += weight * pages * pages;
    }

    /** Returns the latest points. */
    List<Point> points() {
        return bins.stream().map(Bin::point).toList();
    }
}
