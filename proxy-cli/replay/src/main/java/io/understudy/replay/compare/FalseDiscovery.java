package io.understudy.replay.compare;

import java.util.Arrays;

/** Benjamini and Hochberg's step-up procedure: many tests at once, with a bound on the share of false findings. */
final class FalseDiscovery {
    private FalseDiscovery() {}

    /** Returns the largest p-value that counts as a finding, or -1 when none does. */
    static double threshold(double[] pValues, double rate) {
        double[] sorted = pValues.clone();
        Arrays.sort(sorted);
        for (int i = sorted.length - 1; i >= 0; i--) {
            if (sorted[i] <= rate * (i + 1) / sorted.length) {
                return sorted[i];
            }
        }
        return -1;
    }
}
