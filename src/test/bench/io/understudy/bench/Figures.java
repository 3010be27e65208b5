package io.understudy.bench;

import java.util.List;
import java.util.Locale;

/** The median of some measurements with the lowest and the highest: how far it can be trusted. */
final class Figures {
    private Figures() {}

    static String medianAndRange(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return String.format(
                Locale.ROOT, "%.2f (%.2f–%.2f)", median(values), sorted.get(0), sorted.get(sorted.size() - 1));
    }

    static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
