package io.understudy.sql;

import java.security.SecureRandom;
import java.util.function.LongUnaryOperator;

/**
 * Turns the hash of a value into one that says nothing without the key, which lives as long as the object: SipHash-2-4
 * (Aumasson and Bernstein, 2012) of eight bytes. Who knows some values and their hashes cannot find others by trying.
 * Thread-safe.
 */
public final class LiteralHash implements LongUnaryOperator {
    private static final long LENGTH_BLOCK = (long) Long.BYTES << 56;
    private static final int FINAL = 0xFF;

    private final long k0;
    private final long k1;

    LiteralHash(long k0, long k1) {
        this.k0 = k0;
        this.k1 = k1;
    }

    /** Returns a hash with a random key. */
    public static LiteralHash withRandomKey() {
        SecureRandom random = new SecureRandom();
        return new LiteralHash(random.nextLong(), random.nextLong());
    }

    @Override
    public long applyAsLong(long value) {
        State state = new State(k0, k1);
        state.block(value);
        state.block(LENGTH_BLOCK);
        return state.end();
    }

    /** The four words of the algorithm. */
    private static final class State {
        private long v0;
        private long v1;
        private long v2;
        private long v3;

        State(long k0, long k1) {
            v0 = k0 ^ 0x736f6d6570736575L;
            v1 = k1 ^ 0x646f72616e646f6dL;
            v2 = k0 ^ 0x6c7967656e657261L;
            v3 = k1 ^ 0x7465646279746573L;
        }

        void block(long block) {
            v3 ^= block;
            round();
            round();
            v0 ^= block;
        }

        long end() {
            v2 ^= FINAL;
            round();
            round();
            round();
            round();
            return v0 ^ v1 ^ v2 ^ v3;
        }

        private void round() {
            v0 += v1;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v3;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 += v3;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 += v1;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v2 = Long.rotateLeft(v2, 32);
        }
    }
}
