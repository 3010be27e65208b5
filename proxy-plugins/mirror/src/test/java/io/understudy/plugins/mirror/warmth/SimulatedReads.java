package io.understudy.plugins.mirror.warmth;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Point reads of a table, with the probability {@code 1/rank^skew}, the ranks spread over its pages. */
final class SimulatedReads {
    static final int LEAVES_AN_INNER_PAGE = 1200;

    private static final int ROWS_A_LEAF = 40;
    private static final long SPREAD = 48_271;

    private final double[] sums;
    private final SplittableRandom random;

    SimulatedReads(int leaves, double skew, long seed) {
        sums = new double[leaves * ROWS_A_LEAF];
        double sum = 0;
        for (int i = 0; i < sums.length; i++) {
            sum += Math.exp(-skew * Math.log(i + 1.0));
            sums[i] = sum;
        }
        random = new SplittableRandom(seed);
    }

    /** Returns the leaf of the next read. */
    int next() {
        int found = Arrays.binarySearch(sums, random.nextDouble() * sums[sums.length - 1]);
        int rank = found < 0 ? -found - 1 : found;
        return (int) (rank * SPREAD % sums.length) / ROWS_A_LEAF;
    }

    /** Returns whether something happens that has this probability. */
    boolean happens(double probability) {
        return random.nextDouble() < probability;
    }
}
