package io.understudy.bench;

import java.util.List;
import java.util.Locale;

/** Formats the median of several measurements with the lowest and the highest value, which show its spread. */
final class MedianText {
    private MedianText() {}

    static String medianAndRange(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return String.format(
                Locale.ROOT, "%.2f (%.2f–%.2f)", median(values), sorted.get(0), sorted.get(sorted.size() - 1));
    }

    /** Formats the median with the quartiles, for many measurements. */
    static String medianAndQuartiles(List<Double> values) {
        return String.format(
                Locale.ROOT, "%.2f (%.2f–%.2f)", median(values), quantile(values, 0.25), quantile(values, 0.75));
    }

    private static double quantile(List<Double> values, double share) {
        List<Double> sorted = values.stream().sorted().toList();
        return sorted.get((int) Math.round(share * (sorted.size() - 1)));
    }

    static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
