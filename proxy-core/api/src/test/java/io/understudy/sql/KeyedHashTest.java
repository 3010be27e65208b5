package io.understudy.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What protects the cache of summaries: no change of a text cancels another one whatever the key is. */
class KeyedHashTest {
    private static final long TOP = 1L << 63;

    /** The highest bit of a factor's lower product is that of the value: its way through a shift is known. */
    @Test
    void aChangeOfTheHighestBitIsNotCancelledInTheFingerprint() {
        for (int shift = 1; shift < 64; shift++) {
            assertThat(second(7 ^ TOP, 9 ^ TOP ^ TOP >>> shift))
                    .as("shift by %d", shift)
                    .isNotEqualTo(second(7, 9));
        }
        assertThat(second(7, 9)).as("within a process").isEqualTo(second(7, 9));
    }

    private static long second(long first, long next) {
        HashPair pair = new HashPair();
        pair.set(1, 2);
        pair.mixSecond(first);
        pair.mixSecond(next);
        return pair.second();
    }

    @Test
    void norInAWordOfTheText() {
        byte[] word = "table_of_16_byte".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        for (int shift = 1; shift < 64; shift++) {
            byte[] other = word.clone();
            other[7] ^= (byte) 0x80;
            other[15] ^= (byte) 0x80;
            int bit = 63 - shift;
            other[8 + bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(Words.exact(other, 0, 16)).as("shift by %d", shift).isNotEqualTo(Words.exact(word, 0, 16));
        }
    }
}
