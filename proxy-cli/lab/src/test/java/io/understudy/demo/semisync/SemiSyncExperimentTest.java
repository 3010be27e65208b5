package io.understudy.demo.semisync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the experiment briefly. Checks only figures that do not depend on the scheduler: a delay is a lower bound. */
@Timeout(120)
@Tag("long")
class SemiSyncExperimentTest {
    @Test
    void everySettingIsMeasuredAndTheAcknowledgementContainsTheDelay() throws Exception {
        int rtt = 30;
        StringWriter text = new StringWriter();
        SemiSyncExperiment experiment = new SemiSyncExperiment(
                new SemiSyncExperiment.Options(List.of(Duration.ZERO, Duration.ofMillis(rtt)), Duration.ofSeconds(4)),
                new PrintWriter(text));
        assertThat(experiment.run()).as(text.toString()).isTrue();
        List<Row> rows = experiment.rows();
        assertThat(rows).hasSize(7);
        assertThat(rows.get(0).setting().replica()).isEqualTo(Setting.Replica.NONE);
        for (Row row : rows) {
            boolean far = !row.setting().rtt().isZero();
            assertThat(row.commits()).isGreaterThanOrEqualTo(3);
            assertThat(row.checked()).isGreaterThanOrEqualTo(3);
            if (row.setting().semiSync()) {
                assertThat(row.serverMean()).isPositive();
                assertThat(row.ackMean()).isGreaterThan(far ? rtt - 1 : 0);
            } else {
                assertThat(row.serverMean()).isZero();
            }
            if (row.setting().semiSync() && far) {
                assertThat(row.p50()).isGreaterThan(rtt - 1);
                assertThat(row.perSecond()).isLessThan(1000.0 / (rtt - 1));
                assertThat(row.ackMean()).isGreaterThan(row.executeMean());
            }
        }
        assertThat(text.toString())
                .contains("commits/s", "AFTER_COMMIT", "AFTER_SYNC", "A replica 30 ms away")
                .doesNotContain("NOT AS IT SHOULD BE");
    }

    @Test
    void settingsThatCannotBeMeasuredAreRefused() {
        Duration second = Duration.ofSeconds(1);
        assertThatThrownBy(() -> new SemiSyncExperiment.Options(List.of(), second))
                .hasMessageContaining("0ms,10ms,85ms");
        assertThatThrownBy(() -> new SemiSyncExperiment.Options(List.of(Duration.ofSeconds(3)), second))
                .hasMessageContaining("0ms to 2s but one is 3000ms");
        assertThatThrownBy(() -> new SemiSyncExperiment.Options(List.of(second), Duration.ZERO))
                .hasMessageContaining("60s");
    }
}
