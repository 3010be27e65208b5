package io.understudy.plugins.blackbox.lost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A report that is requested again and again is made only so often. */
class SparingReportTest {
    private static final long MILLI = Duration.ofMillis(1).toNanos();

    private long now = 1_000_000_000_000L;
    private long takes = 10 * MILLI;
    private int made;
    private boolean fails;
    private final SparingReport report = new SparingReport(this::make, () -> now);

    private Object make() {
        now += takes;
        made++;
        if (fails) {
            throw new IllegalStateException("failure " + made);
        }
        return "report " + made;
    }

    @Test
    void keepsAReportForFourTimesAsLongAsItTook() {
        assertThat(report.get()).isEqualTo("report 1");
        now += 39 * MILLI;
        assertThat(report.get()).isEqualTo("report 1");
        now += MILLI;
        assertThat(report.get()).isEqualTo("report 2");
    }

    @Test
    void aSlowReportIsKeptForTwoSeconds() {
        takes = 3_000 * MILLI;
        assertThat(report.get()).isEqualTo("report 1");
        now += 1_999 * MILLI;
        assertThat(report.get()).isEqualTo("report 1");
        now += MILLI;
        assertThat(report.get()).isEqualTo("report 2");
    }

    @Test
    void keepsAFailureToo() {
        fails = true;
        assertThatThrownBy(report::get).hasMessage("failure 1");
        assertThatThrownBy(report::get).hasMessage("failure 1");
        fails = false;
        now += 40 * MILLI;
        assertThat(report.get()).isEqualTo("report 2");
    }
}
