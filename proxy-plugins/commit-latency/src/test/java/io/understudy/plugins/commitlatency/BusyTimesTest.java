package io.understudy.plugins.commitlatency;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BusyTimesTest {
    @Test
    void agreesWithAMapOfEveryNanosecond() {
        Random random = new Random(7);
        for (int round = 0; round < 200; round++) {
            BusyTimes times = new BusyTimes(1_000);
            BitSet bits = new BitSet();
            for (int i = 0; i < 60; i++) {
                int begin = random.nextInt(1_000);
                int end = begin + random.nextInt(40);
                times.add(begin, end);
                bits.set(begin, end);
                int from = random.nextInt(1_000);
                int to = from + random.nextInt(100);
                assertThat(times.overlap(from, to)).isEqualTo(bits.get(from, to).cardinality());
            }
        }
    }

    @Test
    void forgetsTheOldest() {
        BusyTimes times = new BusyTimes(2);
        times.add(0, 10);
        times.add(20, 30);
        times.add(40, 50);
        assertThat(times.overlap(0, 100)).isEqualTo(20);
        times.clear();
        assertThat(times.overlap(0, 100)).isZero();
    }
}
