package io.understudy.demo;

import java.util.SplittableRandom;

/**
 * Picks keys as users do: few often, most seldom (the k-th most popular with a probability of about 1/k). Popular keys
 * are scattered over the range, and so over the pages of a table. Not safe for several threads.
 */
final class SkewedKeys {

    /** A prime larger than any table here, so that multiplying by it permutes the keys. */
    private static final long SCATTER = 2_654_435_761L;

    private final SplittableRandom random;
    private final int count;
    private final double logCount;

    /** Picks from 1 to {@code count}, inclusive. */
    SkewedKeys(SplittableRandom random, int count) {
        if (count < 1) {
            throw new IllegalArgumentException("cannot pick from " + count + " keys");
        }
        this.random = random;
        this.count = count;
        this.logCount = Math.log(count + 1.0);
    }

    int next() {
        long rank = (long) Math.exp(random.nextDouble() * logCount);
        return (int) (1 + Math.min(rank, count) * SCATTER % count);
    }
}
