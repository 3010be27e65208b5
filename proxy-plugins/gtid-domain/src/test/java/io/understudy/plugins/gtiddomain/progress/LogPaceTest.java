package io.understudy.plugins.gtiddomain.progress;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LogPaceTest {
    private static final long MILLI = 1_000_000L;

    private long now = -7;

    /** Returns the rests allowed at several times of a second with this many transactions every ten milliseconds. */
    private long[] second(LogPace pace, int perTenMillis) {
        long[] rests = new long[100];
        for (int i = 0; i < 100; i++) {
            for (int transaction = 0; transaction < perTenMillis; transaction++) {
                pace.counted(true);
            }
            rests[i] = pace.restNanos() / MILLI;
            now += 10 * MILLI;
        }
        return rests;
    }

    @Test
    void aBusyLogRestsExceptForAPartOfEverySecond() {
        LogPace pace = new LogPace(() -> now, 250 * MILLI);

        assertThat(second(pace, 5)).containsOnly(0);
        long[] rests = second(pace, 5);
        assertThat(rests).startsWith(0, 0, 0, 0, 0, 20, 20).endsWith(20, 20);
        assertThat(second(pace, 1)).contains(20);
        assertThat(second(pace, 1)).containsOnly(0);
    }

    @Test
    void someReadAsTheyArriveAreEnough() {
        LogPace pace = new LogPace(() -> now, 250 * MILLI);
        second(pace, 100);

        assertThat(second(pace, 100)).startsWith(0, 20, 20).endsWith(20, 20);
        assertThat(second(pace, 10)).startsWith(0, 0, 0, 0, 20);
    }

    @Test
    void noMoreAreSampledIfAnotherSubscriberReadsABusyLogAsItArrives() {
        LogPace pace = new LogPace(() -> now, 250 * MILLI);
        second(pace, 100);

        int sampled = 0;
        pace.restNanos();
        for (int i = 0; i < 1_000; i++) {
            sampled += pace.counted(true) ? 1 : 0;
        }
        assertThat(sampled).isEqualTo(32);
        assertThat(pace.counted(false)).isFalse();
    }

    @Test
    void afterASilenceTheLogIsReadAsItArrives() {
        LogPace pace = new LogPace(() -> now, 250 * MILLI);
        second(pace, 10);
        second(pace, 10);

        now += 5_000 * MILLI;
        assertThat(second(pace, 10)).containsOnly(0);
        assertThat(second(pace, 10)).contains(20);
    }

    @Test
    void aShortPollIntervalShortensRests() {
        LogPace pace = new LogPace(() -> now, 20 * MILLI);
        second(pace, 10);

        assertThat(second(pace, 10)).contains(2).doesNotContain(20);
    }
}
