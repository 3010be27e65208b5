package io.understudy.plugins.mirror;

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
    void letsThroughSoManyASecondAndNoMore() {
        RateLimit limit = RateLimit.perSecond(3);
        assertThat(taken(limit, 10, 5 * SECOND)).isEqualTo(3);
        assertThat(taken(limit, 10, 6 * SECOND - 1)).isZero();
        assertThat(taken(limit, 10, 6 * SECOND)).isEqualTo(3);
        assertThat(taken(limit, 2, 9 * SECOND)).isEqualTo(2);
        assertThat(taken(limit, 2, 9 * SECOND)).isEqualTo(1);
    }

    /** The monotonic clock may begin below zero. */
    @Test
    void worksBeforeTheClocksZero() {
        RateLimit limit = RateLimit.perSecond(2);
        assertThat(taken(limit, 5, -7 * SECOND)).isEqualTo(2);
        assertThat(taken(limit, 5, -6 * SECOND)).isEqualTo(2);
    }

    @Test
    void noLimitIsNone() {
        assertThat(taken(RateLimit.NONE, 1000, 1)).isEqualTo(1000);
    }
}
