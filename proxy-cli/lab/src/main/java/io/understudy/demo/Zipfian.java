package io.understudy.demo;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Keys with the skew of YCSB's default: the key of rank k with a probability proportional to 1 / k^0.99. Ranks are
 * spread over the table by a fixed permutation, as YCSB's scrambled distribution does. Not thread-safe.
 */
public final class Zipfian {
    public static final double CONSTANT = 0.99;
    /** A prime that divides no number of rows here, so that multiplying by it permutes the keys. */
    private static final long SPREAD = 48_271;

    private final double[] sums;
    private final SplittableRandom random;

    private Zipfian(double[] sums, long seed) {
        this.sums = sums;
        this.random = new SplittableRandom(seed);
    }

    /** Returns the distribution of keys from 1 to {@code rows}. */
    public static Zipfian of(int rows, long seed) {
        double[] sums = new double[rows];
        double total = 0;
        for (int rank = 1; rank <= rows; rank++) {
            total += Math.pow(rank, -CONSTANT);
            sums[rank - 1] = total;
        }
        return new Zipfian(sums, seed);
    }

    /** Returns the same distribution with other numbers. */
    public Zipfian with(long seed) {
        return new Zipfian(sums, seed);
    }

    public int next() {
        double drawn = random.nextDouble() * sums[sums.length - 1];
        int found = Arrays.binarySearch(sums, drawn);
        long rank = Math.min(sums.length, found < 0 ? -found : found + 1);
        return (int) (rank * SPREAD % sums.length) + 1;
    }
}
