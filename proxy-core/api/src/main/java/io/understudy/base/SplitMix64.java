package io.understudy.base;

/** The finaliser of SplitMix64, with its published constants. */
public final class SplitMix64 {
    private SplitMix64() {}

    /** Returns a number of which every bit depends on all bits of {@code value}; a bijection. */
    public static long mix(long value) {
        long z = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }
}
