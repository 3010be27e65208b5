package io.understudy.sql;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Mixing with factors that are drawn at the start of the process. Both halves of the product count: of the lower half
 * alone, a change of the highest bit would be the same for every factor, and texts could be made to collide.
 */
final class KeyedMix {
    private KeyedMix() {}

    /** Returns a secret factor; odd, with bits all over. */
    static long factor() {
        return ThreadLocalRandom.current().nextLong() & 0x0FFFFFFFFFFFFFFEL | 0x5000000000000001L;
    }

    static long mix(long value, long factor) {
        return value * factor ^ Math.multiplyHigh(value, factor);
    }
}
