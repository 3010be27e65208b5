package io.understudy.plugins.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.StandbyState;
import io.understudy.testkit.CapturedLog;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is logged when a standby and the primary change places. */
class PauseGuardTest {
    private static final MirrorConfig.PauseAbove BOUNDS = new MirrorConfig.PauseAbove(Duration.ofSeconds(10), 64, true);

    private long now;
    private final FakeStandby standby = new FakeStandby();
    private final PauseGuard guard = new PauseGuard(standby, () -> now);

    private static StandbyState state(boolean readOnly, @Nullable Double lag, boolean stopped) {
        return new StandbyState(true, readOnly, lag, stopped, 1, null);
    }

    @Test
    void aFormerPrimaryIsNotSaidToHaveBeenPromoted() {
        try (CapturedLog log = new CapturedLog()) {
            standby.primary = true;
            standby.state = state(false, null, false);
            guard.check(BOUNDS);
            standby.primary = false;
            guard.check(BOUNDS);
            assertThat(guard.paused()).as("no probe since the change").isTrue();
            standby.state = state(true, null, false);
            guard.check(BOUNDS);
            assertThat(guard.paused()).isFalse();
            standby.state = state(true, null, true);
            guard.check(BOUNDS);
            assertThat(guard.paused()).as("its replication connects").isTrue();
            assertThat(log.text()).doesNotContain("WARN").doesNotContain("waits");
            later(PauseGuard.RECONNECTING);
            assertThat(log.text()).doesNotContain("WARN").contains("INFO", "mirroring to standby-1 waits");

            standby.state = state(true, 0.0, false);
            guard.check(BOUNDS);
            standby.state = state(true, null, true);
            guard.check(BOUNDS);
            later(PauseGuard.RECONNECTING);
            later(PauseGuard.RECONNECTING);
            assertThat(log.text()).containsOnlyOnce("WARN").contains("mirroring to standby-1 pauses: a replication");
        }
    }

    private void later(Duration time) {
        now += time.toNanos();
        guard.check(BOUNDS);
    }

    /** The standby's monitor logs that it is unreachable, and that it is reachable. */
    @Test
    void aRestartOfTheStandbyLogsNothing() {
        try (CapturedLog log = new CapturedLog()) {
            standby.state = state(true, 0.0, false);
            guard.check(BOUNDS);
            standby.state = new StandbyState(false, false, null, false, -1, "connection refused");
            guard.check(BOUNDS);
            assertThat(guard.reason()).isEqualTo(DropReason.STANDBY_DOWN);
            later(Duration.ofMinutes(5));
            standby.state = state(true, null, true);
            guard.check(BOUNDS);
            assertThat(guard.paused()).isTrue();
            later(Duration.ofSeconds(5));
            standby.state = state(true, 0.0, false);
            guard.check(BOUNDS);
            assertThat(guard.paused()).isFalse();
            assertThat(log.text()).isEmpty();
        }
    }

    @Test
    void aLagIsLoggedWithItsEnd() {
        try (CapturedLog log = new CapturedLog()) {
            standby.state = state(true, 30.0, false);
            guard.check(BOUNDS);
            standby.state = new StandbyState(false, false, null, false, -1, "connection refused");
            guard.check(BOUNDS);
            standby.state = state(true, 0.0, false);
            guard.check(BOUNDS);
            assertThat(log.text().lines())
                    .satisfiesExactly(
                            line -> assertThat(line).contains("pauses: replication lag 30.0 s"),
                            line -> assertThat(line).contains("resumes: fit again"));
        }
    }

    @Test
    void aFormerPrimaryThatStaysWritableIsAWarning() {
        try (CapturedLog log = new CapturedLog()) {
            standby.primary = true;
            standby.state = state(false, null, false);
            guard.check(BOUNDS);
            standby.primary = false;
            standby.state = state(false, null, false);
            guard.check(BOUNDS);
            assertThat(guard.reason()).isEqualTo(DropReason.NOT_READ_ONLY);
            assertThat(log.text())
                    .contains("WARN", "it was the primary, and is writable again")
                    .doesNotContain("may have been promoted");
        }
    }
}
