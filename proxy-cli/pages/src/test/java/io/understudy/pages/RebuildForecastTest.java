package io.understudy.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class RebuildForecastTest {
    private final RebuildForecast forecast = new RebuildForecast(16384, 100);

    @Test
    void leavesASixteenthOfAClusteredIndexFree() {
        // 15232 bytes, for records of 99.5 bytes and half a byte of directory each: 152 per page.
        assertThat(forecast.pages(15_200, 15_200 * 99L + 7_600, true)).isEqualTo(100);
        assertThat(forecast.pages(15_200, 15_200 * 99L + 7_600, false)).isEqualTo(94);
    }

    @Test
    void theFillFactorAppliesToBothKindsOfIndexes() {
        RebuildForecast half = new RebuildForecast(16384, 50);
        assertThat(half.pages(10_000, 990_000, true)).isEqualTo(half.pages(10_000, 990_000, false));
        assertThat(half.pages(10_000, 990_000, false))
                .isCloseTo(2 * forecast.pages(10_000, 990_000, false), within(3L));
    }

    @Test
    void putsTwoRecordsOnAPageHoweverLong() {
        assertThat(forecast.pages(100, 100 * 8_000L, true)).isEqualTo(50);
        assertThat(forecast.pages(0, 0, true)).isEqualTo(1);
    }

    @Test
    void forecastsNoMorePagesThanThereAre() {
        IndexPages full = new IndexPages("k", false, 10, 2_000, 160_000, 0, 0, 0, 100);
        assertThat(full.after(forecast)).isEqualTo(10);
        IndexPages half = new IndexPages("k", false, 20, 2_000, 160_000, 0, 0, 0, 100);
        assertThat(half.after(forecast)).isEqualTo(10);
        assertThat(half.leafPagesAfter(forecast)).isEqualTo(50);
        IndexPages agedStatistics = new IndexPages("k", false, 20, 2_000, 160_000, 0, 0, 0, 1);
        assertThat(agedStatistics.leafPagesAfter(forecast)).isEqualTo(10);
    }

    @Test
    void leavesOutCompressedPages() {
        assertThat(new IndexPages("k", false, 20, 10, 100, 0, 0, 20, -1).after(forecast))
                .isEqualTo(20);
    }
}
