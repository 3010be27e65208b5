package io.understudy.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class PatienceTest {
    @Test
    void aWaitWithoutATimeOfItsOwnLastsHalfAMinute() {
        AtomicReference<Duration> left = new AtomicReference<>(Duration.ZERO);
        await().conditionEvaluationListener(condition -> left.set(Duration.ofMillis(condition.getRemainingTimeInMS())))
                .until(() -> true);
        assertThat(left.get()).isGreaterThan(Patience.LONGEST.dividedBy(2));
    }
}
