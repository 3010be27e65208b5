package io.understudy.plugins.commitlatency;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.testkit.CapturedLog;
import io.understudy.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ClockStepsTest {
    private final ManualClock clock = new ManualClock(Instant.parse("2026-01-01T12:00:00Z"));
    private long nanos = 77_000_000_000L;

    private void pass(long realMillis, long shownMillis) {
        nanos += realMillis * 1_000_000;
        clock.advance(Duration.ofMillis(shownMillis));
    }

    @Test
    void stepsAreLoggedAndDriftIsNot() {
        try (CapturedLog log = new CapturedLog()) {
            ClockSteps steps = new ClockSteps(clock, () -> nanos);
            for (int i = 0; i < 100; i++) {
                pass(20, 25);
                steps.check();
            }
            assertThat(log.text()).isEmpty();
            pass(20, 20 + 3_600_000);
            steps.check();
            assertThat(log.text()).contains("WARN", "set forward by 3600000 ms", "latencies are not affected");
            pass(20, 20 - 1_500);
            steps.check();
            assertThat(log.text()).contains("set back by 1500 ms", "time synchronisation");
            int length = log.text().length();
            pass(20, 20);
            steps.check();
            assertThat(log.text()).hasSize(length);
        }
    }
}
