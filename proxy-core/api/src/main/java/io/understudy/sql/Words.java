package io.understudy.sql;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Hashes names eight bytes at a time.
 *
 * <p>{@link #folded} ignores the case of ASCII letters and is the same in every process, because digests appear in
 * configuration files. {@link #exact} respects case and is seeded per process: it protects the cache against texts made
 * to collide.
 */
final class Words {

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final long FOLD_FACTOR = 0x9E3779B97F4A7C15L;
    private static final long EXACT_FACTOR = HashPair.factor();
    private static final long EXACT_SEED = ThreadLocalRandom.current().nextLong();

    private Words() {}

    /** Returns {@link #folded} of a word of at most eight bytes, given as {@link #load}. */
    static long foldedShort(long word, int length) {
        long h = (length ^ (word | (~word & HIGH_BITS) >>> 2)) * FOLD_FACTOR;
        return h ^ h >>> 32;
    }

    /** Returns {@link #exact} of a word of at most eight bytes, given as {@link #load}. */
    static long exactShort(long word, int length) {
        return HashPair.keyed(EXACT_SEED + length ^ word, EXACT_FACTOR);
    }

    static long folded(byte[] text, int start, int end) {
        long h = (long) end - start;
        for (int p = start; p < end; p += 8) {
            long v = load(text, p, end);
            // Setting bit 5 of each ASCII byte folds case; bytes from 0x80 keep their value.
            v |= (~v & HIGH_BITS) >>> 2;
            h = (h ^ v) * FOLD_FACTOR;
            h ^= h >>> 32;
        }
        return h;
    }

    static long exact(byte[] text, int start, int end) {
        long h = EXACT_SEED + (end - start);
        for (int p = start; p < end; p += 8) {
            h = HashPair.keyed(h ^ load(text, p, end), EXACT_FACTOR);
        }
        return h;
    }

    /** Returns the bytes from {@code p}, at most eight, zero-padded. */
    static long load(byte[] text, int p, int end) {
        int n = end - p;
        if (p + 8 <= text.length) {
            long v = (long) LONG.get(text, p);
            return n >= 8 ? v : v & ((1L << (n << 3)) - 1);
        }
        long v = 0;
        for (int i = Math.min(n, 8) - 1; i >= 0; i--) {
            v = v << 8 | text[p + i] & 0xFF;
        }
        return v;
    }
}
