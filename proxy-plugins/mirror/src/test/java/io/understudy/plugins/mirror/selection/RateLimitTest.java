package io.understudy.plugins.mirror.selection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RateLimitTest {
    private static final long SECOND = 1_000_000_000L;

    private static int taken(RateLimit limit, int attempts, long nowNanos) {
        int taken = 0;
        for (int i = 0; i < attempts; i++) {
            taken += limit.take(nowNanos) ? 1 : 0;
        }
        return taken;
    }

    @Test
    void spreadsPermitsOverTheSecond() {
        RateLimit limit = RateLimit.perSecond(100, 0);
        assertThat(taken(limit, 1000, 0)).isEqualTo(100);
        for (int tenth = 1; tenth < 50; tenth++) {
            assertThat(taken(limit, 1000, tenth * SECOND / 10)).isEqualTo(10);
        }
        int fine = 0;
        for (int milli = 5000; milli < 10_000; milli++) {
            fine += taken(limit, 3, milli * SECOND / 1000);
        }
        assertThat(fine).isBetween(495, 510);
    }

    @Test
    void aClientWithBurstsHasAsManyAsOneWithout() {
        RateLimit limit = RateLimit.perSecond(50, 0);
        for (int second = 0; second < 10; second++) {
            assertThat(taken(limit, 200, second * SECOND)).isEqualTo(50);
        }
    }

    /** A probe of a limited rule stands for the statements that the limit has dropped, too. */
    @Test
    void theShareThatPassesIsKnown() {
        RateLimit limit = RateLimit.perSecond(10, 0);
        assertThat(limit.passing(0)).isEqualTo(1);
        for (int milli = 0; milli < 20_000; milli += 10) {
            limit.take(milli * SECOND / 1000);
            limit.passing(milli * SECOND / 1000);
        }
        assertThat(limit.passing(20 * SECOND)).as("10 of 100 a second").isBetween(0.09, 0.11);
        for (int milli = 20_000; milli < 40_000; milli += 200) {
            limit.take(milli * SECOND / 1000);
            limit.passing(milli * SECOND / 1000);
        }
        assertThat(limit.passing(40 * SECOND)).as("a load within the limit").isEqualTo(1);
        assertThat(RateLimit.NONE.passing(SECOND)).isEqualTo(1);
    }

    @Test
    void unusedPermitsAreSavedUpForASecond() {
        RateLimit limit = RateLimit.perSecond(1000, 0);
        assertThat(taken(limit, 2000, 3600 * SECOND)).isEqualTo(1000);
        assertThat(taken(limit, 2000, 3600 * SECOND)).isZero();
        assertThat(taken(limit, 2000, 3600 * SECOND + 10_000_000)).isEqualTo(10);
    }

    @Test
    void onePerSecondIsExact() {
        RateLimit limit = RateLimit.perSecond(1, 5 * SECOND);
        assertThat(taken(limit, 10, 5 * SECOND)).isEqualTo(1);
        assertThat(taken(limit, 10, 6 * SECOND - 1)).isZero();
        assertThat(taken(limit, 10, 6 * SECOND)).isEqualTo(1);
    }

    /** The monotonic clock may start below zero. */
    @Test
    void worksWithNegativeTimes() {
        RateLimit limit = RateLimit.perSecond(2, -7 * SECOND);
        assertThat(taken(limit, 5, -7 * SECOND)).isEqualTo(2);
        assertThat(taken(limit, 5, -6 * SECOND)).isEqualTo(2);
    }

    @Test
    void noLimitAlwaysPermits() {
        assertThat(taken(RateLimit.NONE, 1000, 1)).isEqualTo(1000);
    }
}
