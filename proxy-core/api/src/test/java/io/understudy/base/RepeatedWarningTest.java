package io.understudy.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RepeatedWarningTest {
    private long now;
    private final RepeatedWarning warning = new RepeatedWarning(() -> now);

    @Test
    void causesThatAlternateAreLimitedEach() {
        assertThat(warning.mayLog("half open")).isZero();
        assertThat(warning.mayLog("no TLS")).isZero();
        for (int i = 0; i < 5; i++) {
            assertThat(warning.mayLog("half open")).isEqualTo(-1);
            assertThat(warning.mayLog("no TLS")).isEqualTo(-1);
        }
        now += TimeUnit.SECONDS.toNanos(10);
        assertThat(warning.mayLog("half open")).isEqualTo(5);
        assertThat(warning.mayLog("half open")).isEqualTo(-1);
        assertThat(warning.mayLog("no TLS")).isEqualTo(5);
    }

    @Test
    void aCauseThatGoesOnIsToldEverLessOften() {
        int lines = 0;
        for (int second = 0; second < 3600; second++) {
            lines += warning.mayLog("half open") < 0 ? 0 : 1;
            now += TimeUnit.SECONDS.toNanos(1);
        }
        assertThat(lines).isBetween(8, 15);
        now += TimeUnit.HOURS.toNanos(1);
        assertThat(warning.mayLog("half open")).isPositive();
        now += TimeUnit.HOURS.toNanos(1);
        assertThat(warning.mayLog("half open")).isZero();
        now += TimeUnit.SECONDS.toNanos(10);
        assertThat(warning.mayLog("half open")).as("as soon as at first").isZero();
    }

    @Test
    void theNumberOfCausesIsBounded() {
        assertThat(warning.mayLog("first")).isZero();
        assertThat(warning.mayLog("first")).isEqualTo(-1);
        for (int i = 0; i < 100; i++) {
            assertThat(warning.mayLog("cause " + i)).isZero();
        }
        assertThat(warning.mayLog("first")).as("forgotten").isZero();
    }
}
