package io.understudy.sql;

import io.understudy.base.SplitMix64;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Two running hashes: the first for the digest, the second for the fingerprint.
 *
 * <p>Separate from {@link Condenser}, which decides what is hashed: the way of hashing must never change, because
 * digests appear in configuration files. The second is keyed per process: it protects the cache of summaries against
 * texts made to collide, of which one that writes would pass for a read.
 */
final class HashPair {
    private static final long FACTOR = factor();
    private static final long MARK_FACTOR = factor();

    long h1;
    long h2;

    void set(long h1, long h2) {
        this.h1 = h1;
        this.h2 = h2;
    }

    void mix(long v1, long v2) {
        long a = (h1 ^ v1) * 0x9E3779B97F4A7C15L;
        h1 = a ^ a >>> 29;
        mixSecond(v2);
    }

    void mixSecond(long v) {
        h2 = keyed(h2 ^ v, FACTOR);
    }

    /** Mixes a value that is not a token into the second hash. */
    void mark(long v) {
        h2 = keyed(h2 ^ v, MARK_FACTOR);
    }

    /** Returns the first hash; every bit depends on all mixed values. */
    long first() {
        return SplitMix64.mix(h1);
    }

    /** Returns the second hash. */
    long second() {
        return SplitMix64.mix(h2 ^ h2 >>> 31);
    }

    /** Returns a secret factor; odd, with bits all over. */
    static long factor() {
        return ThreadLocalRandom.current().nextLong() & 0x0FFFFFFFFFFFFFFEL | 0x5000000000000001L;
    }

    /**
     * Mixes with a secret factor. Both halves of the product count: of the lower half alone, a change of the highest
     * bit would be the same for every factor, and texts could be made to collide.
     */
    static long keyed(long value, long factor) {
        return value * factor ^ Math.multiplyHigh(value, factor);
    }
}
