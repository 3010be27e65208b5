package io.understudy.demo.warming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.understudy.demo.Zipfian;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.BitSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("long")
class WarmingTest {
    /** The most popular key of YCSB's default has the share 1 / H, where H is the sum of rank^-0.99. */
    @Test
    void keysHaveTheSharesOfTheirRanks() {
        int rows = 10_500;
        int drawn = 400_000;
        Zipfian keys = Zipfian.of(rows, 3);
        int[] counts = new int[rows + 1];
        for (int i = 0; i < drawn; i++) {
            counts[keys.next()]++;
        }
        assertThat(counts[0]).isZero();
        Arrays.sort(counts);
        double total = 0;
        for (int rank = 1; rank <= rows; rank++) {
            total += Math.pow(rank, -0.99);
        }
        for (int rank = 1; rank <= 5; rank++) {
            double share = Math.pow(rank, -0.99) / total;
            assertThat((double) counts[rows + 1 - rank] / drawn)
                    .as("rank %d", rank)
                    .isCloseTo(share, within(share / 20));
        }
    }

    /** Otherwise some rows would never be read, and others would have the shares of two ranks. */
    @Test
    void everyKeyHasOneRank() {
        for (int pool : new int[] {8, 24, 80, 1000}) {
            int rows = pool * 10_500;
            BitSet seen = new BitSet();
            for (long rank = 1; rank <= rows; rank++) {
                seen.set((int) (rank * 48_271 % rows));
            }
            assertThat(seen.cardinality()).as("%d MiB", pool).isEqualTo(rows);
        }
    }

    @Test
    void aForecastIsRightWithinATenthOfAPageOrAQuarter() {
        assertThat(new WarmingDemo.Seen(1, 0.05, 0.14, 1).asForecast()).isTrue();
        assertThat(new WarmingDemo.Seen(1, 0.05, 0.16, 1).asForecast()).isFalse();
        assertThat(new WarmingDemo.Seen(1, 0.8, 0.99, 1).asForecast()).isTrue();
        assertThat(new WarmingDemo.Seen(1, 0.8, 1.01, 1).asForecast()).isFalse();
    }

    /** Small, so the pool is full again soon, and with few probes: it shows that the pieces work together. */
    @Test
    @Timeout(180)
    void theExperimentRestartsWarmsAndPromotes() throws Exception {
        StringWriter text = new StringWriter();
        WarmingDemo.Seen seen = new WarmingDemo(8, 6, 5, new PrintWriter(text)).experiment();
        assertThat(seen.mirrored()).isPositive();
        assertThat(seen.forecast()).as(text.toString()).isCloseTo(seen.warmed(), within(0.7));
        assertThat(text.toString()).contains("zipfian 0.99", "after the promotion", "forecast of that");
    }
}
