package io.understudy.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SkewedKeysTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 97, 10_000})
    void staysInRangeAndRepeatsWithTheSeed(int count) {
        SkewedKeys first = new SkewedKeys(new SplittableRandom(5), count);
        SkewedKeys second = new SkewedKeys(new SplittableRandom(5), count);
        for (int i = 0; i < 10_000; i++) {
            int key = first.next();
            assertThat(key).isBetween(1, count);
            assertThat(second.next()).isEqualTo(key);
        }
    }

    @Test
    void fewKeysTakeHalfOfTheLoad() {
        int count = 10_000;
        int draws = 100_000;
        int[] hits = new int[count + 1];
        SkewedKeys keys = new SkewedKeys(new SplittableRandom(1), count);
        for (int i = 0; i < draws; i++) {
            hits[keys.next()]++;
        }
        Arrays.sort(hits);
        int hottest = 0;
        for (int i = 0; i < 100; i++) {
            hottest += hits[count - i];
        }
        // With a skew of 1/k the most frequent keys, as many as the square root of all, get half of the load.
        assertThat((double) hottest / draws).isBetween(0.4, 0.65);
    }
}
