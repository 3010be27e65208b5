package io.understudy.plugins.mirror.warmth;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RestartWatchTest {
    private static final long SECOND = 1_000_000_000L;

    private final RestartWatch watch = new RestartWatch();
    private long second = 5000;
    private long uptime = 100;
    private long reads = 20_000;

    /** Returns whether a restart is seen after so many seconds, when uptime and reads have changed by that much. */
    private boolean after(int seconds, long moreUptime, long moreReads) {
        second += seconds;
        uptime += moreUptime;
        reads += moreReads;
        return watch.restarted(uptime, reads, second * SECOND);
    }

    @Test
    void aServerThatCountsOnHasNotRestarted() {
        assertThat(after(0, 0, 0)).as("the first state").isFalse();
        assertThat(after(1, 1, 50)).isFalse();
        assertThat(after(1, 0, 0)).as("an old state").isFalse();
        assertThat(after(2, 3, 0)).isFalse();
    }

    @Test
    void aLowerUptimeIsARestart() {
        after(0, 0, 0);
        assertThat(after(1, -98, -19_700)).isTrue();
        assertThat(after(1, 1, 500)).isFalse();
    }

    @Test
    void aClockThatIsSetIsNoRestart() {
        after(0, 0, 0);
        assertThat(after(1, -50, 30)).as("back").isFalse();
        assertThat(after(1, 1, 30)).isFalse();
        assertThat(after(1, 86_400, 30)).as("forward").isFalse();
        assertThat(after(1, -86_400, 30)).as("and back").isFalse();
        assertThat(after(1, -uptime + 2, 300 - reads)).as("a restart after it").isTrue();
    }

    /** Its counter may be higher than the last one seen, for nobody has seen when it began. */
    @Test
    void aServerThatWasOutOfReachMayHaveReadMore() {
        after(0, 0, 0);
        assertThat(after(60, -70, 4000)).isTrue();
        assertThat(after(600, 300, 90_000)).as("longer than it ran before").isTrue();
        assertThat(after(600, 600, 0)).isFalse();
    }

    /** Its own load of the pool counts as reads. */
    @Test
    void aServerThatLoadsItsPoolMayHaveReadMoreAtOnce() {
        reads = 3000;
        after(0, 0, 0);
        assertThat(after(4, -98, 5000)).isTrue();
        assertThat(after(1, 1, 500)).isFalse();
    }

    @Test
    void aServerWithoutCountersIsSeenByItsUptime() {
        reads = -1;
        after(0, 0, 0);
        assertThat(after(1, 1, 0)).isFalse();
        assertThat(after(1, -90, 0)).isTrue();
    }
}
