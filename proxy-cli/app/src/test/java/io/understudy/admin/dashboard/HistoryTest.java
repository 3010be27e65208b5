package io.understudy.admin.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class HistoryTest {

    private static final long NOON = 1_800_000_000L;

    private final SampleHistory history = new SampleHistory();

    private static float[] sample(float value) {
        float[] sample = new float[Series.values().length];
        Arrays.fill(sample, value);
        return sample;
    }

    private Float[] points(String range, long now, Series series) {
        Map<?, ?> all =
                (Map<?, ?>) Objects.requireNonNull(history.view(range, now).get("series"));
        return (Float[]) Objects.requireNonNull(all.get(series.key()));
    }

    @Test
    void aReloadOfThePageFindsTheSamples() {
        history.add(NOON, sample(1));
        history.add(NOON + 10, sample(2));
        Float[] points = points("15m", NOON + 10, Series.SESSIONS);
        assertThat(points).hasSize(90).endsWith(1f, 2f);
        assertThat(points[87]).isNaN();
        assertThat(history.view("15m", NOON + 10))
                .containsEntry("from", NOON + 20 - 900)
                .containsEntry("step", 10);
    }

    @Test
    void timesWithoutASampleAreUnknownAndNotZero() {
        history.add(NOON, sample(5));
        history.add(NOON + 30, sample(7));
        Float[] points = points("15m", NOON + 50, Series.SESSIONS);
        assertThat(Arrays.copyOfRange(points, 84, 90))
                .containsExactly(5f, Float.NaN, Float.NaN, 7f, Float.NaN, Float.NaN);
    }

    @Test
    void theLastHourIsCountedAndWhatIsOlderIsNot() {
        assertThat(history.lastHour(Series.CONFLICTS, NOON)).isNaN();
        history.add(NOON, sample(0.2f));
        history.add(NOON + 10, sample(0));
        history.add(NOON + 20, sample(0.01f));
        assertThat(history.lastHour(Series.CONFLICTS, NOON + 20)).isEqualTo(2);
        assertThat(history.lastHour(Series.CONFLICTS, NOON + 3_590)).isEqualTo(2);
        assertThat(history.lastHour(Series.CONFLICTS, NOON + 3_600))
                .as("a count that is not 0 is at least 1")
                .isEqualTo(1);
        history.add(NOON + 3_700, sample(0));
        assertThat(history.lastHour(Series.CONFLICTS, NOON + 3_700)).isZero();
        assertThat(history.lastHour(Series.CONFLICTS, NOON + 90_000)).isNaN();
    }

    @Test
    void theDayBeforeDoesNotShowAgain() {
        history.add(NOON, sample(5));
        history.add(NOON + 24 * 3600 + 600, sample(7));
        Float[] day = points("24h", NOON + 24 * 3600 + 600, Series.SESSIONS);
        assertThat(day).hasSize(480);
        assertThat(Arrays.stream(day).filter(point -> !point.isNaN())).containsExactly(7f);
    }

    @Test
    void aLongRangeKeepsPeaksOfWhatHurtsAndMeansOfRates() {
        long begin = NOON / 180 * 180;
        for (int i = 0; i < 18; i++) {
            history.add(begin + i * 10L, sample(i == 4 ? 180 : 0));
        }
        assertThat(points("24h", begin + 170, Series.LAG)).endsWith(180f);
        assertThat(points("24h", begin + 170, Series.WARMTH)).endsWith(0f);
        assertThat(points("24h", begin + 170, Series.COMMANDS)).endsWith(10f);
    }

    @Test
    void aClockThatGoesBackChangesNothing() {
        history.add(NOON, sample(5));
        history.add(NOON - 3600, sample(9));
        assertThat(points("15m", NOON, Series.SESSIONS)).endsWith(5f).doesNotContain(9f);
    }

    @Test
    void aWholeDayFitsIntoFixedMemory() {
        for (long second = 0; second < 30 * 3600; second += 10) {
            history.add(NOON + second, sample((float) second));
        }
        assertThat(points("24h", NOON + 30 * 3600 - 10, Series.SESSIONS)).doesNotContain(Float.NaN);
        assertThat((long) Series.values().length * SampleHistory.SLOTS * Float.BYTES)
                .as("bytes of the ring")
                .isLessThan(1_000_000);
    }

    @Test
    void anUnknownRangeIsRefusedWithTheOnesThereAre() {
        assertThatThrownBy(() -> history.view("2d", NOON))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("[15m, 1h, 6h, 24h]");
    }
}
