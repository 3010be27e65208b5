package io.understudy.plugins.mirror.selection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.plugin.Standby;
import io.understudy.plugin.StandbyState;
import io.understudy.plugins.mirror.playback.FakeStandby;
import io.understudy.testkit.CapturedLog;
import io.understudy.testkit.Fakes;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** The sweep has read the state already when the operator's call comes. */
    @Test
    void aPauseByTheOperatorIsNotOverwrittenByASweepThatHasBegun() throws Exception {
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
        Standby slow = Fakes.of(Standby.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "name" -> "standby-1";
            case "isPrimary" -> false;
            case "state" -> {
                Objects.requireNonNull(meanwhile.get()).run();
                yield state(true, 0.0, false);
            }
            default -> throw new UnsupportedOperationException(method.getName());
        });
        PauseGuard shared = new PauseGuard(slow, () -> now);
        Thread operator = new Thread(shared::pauseByOperator);
        meanwhile.set(() -> {
            meanwhile.set(() -> {});
            operator.start();
            await().until(() ->
                    EnumSet.of(Thread.State.TERMINATED, Thread.State.BLOCKED).contains(operator.getState()));
        });
        shared.check(BOUNDS);
        operator.join();
        assertThat(shared.describe()).isEqualTo("paused_operator");
    }

    @ParameterizedTest
    @ValueSource(strings = {"primary", "unreachable", "lag"})
    void resumingSendsNothingToAStandbyThatIsNotFit(String why) {
        standby.primary = why.equals("primary");
        standby.state = why.equals("unreachable")
                ? new StandbyState(false, false, null, false, -1, "connection refused")
                : state(true, 30.0, false);
        guard.pauseByOperator();
        guard.resumeByOperator(BOUNDS);
        assertThat(guard.paused()).isTrue();
        assertThat(guard.describe()).isEqualTo("paused_" + why);
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
