package io.understudy.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LatencyHistogramTest {
    private static final int BUCKETS = 8 * 90;

    @Test
    void aValueIsInTheBucketWhoseEdgesEncloseIt() {
        assertThat(LatencyHistogram.bucket(-1)).isZero();
        assertThat(LatencyHistogram.bucket(0)).isZero();
        for (int bucket = 0; bucket <= BUCKETS; bucket++) {
            long edge = edge(bucket);
            assertThat(LatencyHistogram.upperEdge(bucket)).isEqualTo(edge);
            assertThat(LatencyHistogram.bucket(edge - 1)).as("%d - 1 ns", edge).isEqualTo(bucket);
            assertThat(LatencyHistogram.bucket(edge)).as("%d ns", edge).isEqualTo(bucket + 1);
            assertThat(LatencyHistogram.bucket(edge + 1)).as("%d + 1 ns", edge).isEqualTo(bucket + 1);
        }
        assertThat(LatencyHistogram.bucket(Long.MAX_VALUE)).isEqualTo(BUCKETS + 1);
    }

    /** 1.0, 1.1, … 9.9 of each power of ten from 1 µs on; 100 s is the last. */
    private static long edge(int bucket) {
        return Math.round((bucket % 90 + 10) * Math.pow(10, bucket / 90 + 2));
    }
}
