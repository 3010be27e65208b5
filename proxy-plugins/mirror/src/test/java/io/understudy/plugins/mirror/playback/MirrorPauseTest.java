package io.understudy.plugins.mirror.playback;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.understudy.plugin.StandbyState;
import io.understudy.plugins.mirror.selection.DropReason;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import io.understudy.sql.TableName;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When mirroring to a standby pauses and resumes. */
@SuppressWarnings("NullAway") // absent keys are null
class MirrorPauseTest extends MirrorHarness {
    @Test
    void aWritableStandbyIsNotMirroredTo() {
        standby.state = new StandbyState(true, false, 0.0, false, 1, null);
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        mirror.start();
        executor.runPeriodic();
        offer(mirror, "SELECT 1", 1);
        assertThat(dropped("not_read_only")).isEqualTo(1);
        mirror.pause().resumeByOperator(mirror.config().pauseAbove());
        offer(mirror, "SELECT 2", 1);
        run(mirror);
        assertThat(standby.statements()).contains("SELECT 2");
        mirror.stop();
    }

    /** Both servers are listed under standbys, so that either may be promoted: nothing is meant for the primary. */
    @Test
    void nothingIsSampledForThePresentPrimaryNorDropped() {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        MirrorRules.Bound rule =
                new MirrorRules.Bound(new MirrorConfig.Rule("all", null, null, null, null, null), List.of(mirror));
        assertThat(rule.takes(0)).isTrue();
        standby.primary = true;
        assertThat(rule.takes(0)).isFalse();
        mirror.limited(rule, true, 0);
        mirror.drop(DropReason.NOT_REPRODUCIBLE);
        for (Counter dropped : meters.get("understudy.mirror.dropped").counters()) {
            assertThat(dropped.count()).as(dropped.getId().getTag("reason")).isZero();
        }
        standby.primary = false;
        assertThat(rule.takes(0)).isTrue();
        mirror.drop(DropReason.NOT_REPRODUCIBLE);
        assertThat(dropped(DropReason.NOT_REPRODUCIBLE.label())).isEqualTo(1);
        mirror.stop();
    }

    /** It may have been promoted while it was unreachable. */
    @Test
    void aStandbyThatComesBackIsCheckedBeforeMirroringResumes() {
        standby.state = StandbyState.UNKNOWN;
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        mirror.start();
        offer(mirror, "SELECT 1", 1);
        assertThat(dropped("standby_down")).isEqualTo(1);
        standby.state = new StandbyState(true, false, 0.0, false, 1, null);
        executor.runPeriodic();
        offer(mirror, "SELECT 2", 1);
        assertThat(dropped("not_read_only")).isEqualTo(1);
        standby.state = StandbyState.UNKNOWN;
        executor.runPeriodic();
        offer(mirror, "SELECT 3", 1);
        assertThat(dropped("not_read_only")).isEqualTo(2);
        standby.state = new StandbyState(true, true, 0.0, false, 1, null);
        executor.runPeriodic();
        offer(mirror, "SELECT 4", 1);
        run(mirror);
        assertThat(standby.statements()).contains("SELECT 4").doesNotContain("SELECT 1", "SELECT 2", "SELECT 3");
        mirror.stop();
    }

    /** What cannot be told may be a promotion. The rest of the sweep goes on: it ends overdue statements. */
    @Test
    void aFaultOfTheCheckPausesMirroringAndNothingElse() {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        mirror.start();
        executor.runPeriodic();
        mirror.skip("shop.items", System.nanoTime() - Duration.ofHours(1).toNanos());
        standby.stateFault = new IllegalStateException("no state");
        executor.runPeriodic();
        assertThat(mirror.pause().describe()).isEqualTo("paused_unreachable");
        offer(mirror, "SELECT 1", 1);
        assertThat(dropped("standby_down")).isEqualTo(1);
        assertThat(mirror.skipped().isEmpty()).as("expired by the sweep").isTrue();
        standby.stateFault = null;
        mirror.pause().check(config(1, 10, "1MiB", Duration.ofMinutes(5)).pauseAbove());
        assertThat(mirror.pause().describe()).isEqualTo("mirroring");
        mirror.stop();
    }

    /** The warmth is that of the load without what never reaches the standby. A pause ends. */
    @Test
    void aSkippedTableIsNoPartOfTheMirroredLoad() {
        List<TableName> items = List.of(new TableName("shop", "items"));
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        mirror.start();
        executor.runPeriodic();
        assertThat(offer(mirror, "SELECT 1", 1, SETTING, List.of())).isTrue();
        mirror.skip("shop.items", System.nanoTime());
        assertThat(offer(mirror, "SELECT * FROM shop.items", 1, SETTING, items)).isFalse();
        assertThat(dropped("table_skipped")).isEqualTo(1);
        standby.state = StandbyState.UNKNOWN;
        executor.runPeriodic();
        assertThat(offer(mirror, "SELECT 1", 1, SETTING, List.of())).isTrue();
        assertThat(dropped("standby_down") + dropped("not_read_only")).isEqualTo(1);
        run(mirror);
        mirror.stop();
    }

    @Test
    void pausesAboveTheLagAndResumesWellBelowIt() {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        mirror.start();
        standby.state = new StandbyState(true, true, 11.0, false, 1, null);
        executor.runPeriodic();
        assertThat(mirror.pause().paused()).isTrue();
        standby.state = new StandbyState(true, true, 9.0, false, 1, null);
        executor.runPeriodic();
        assertThat(mirror.pause().paused())
                .as("nine of ten seconds is not yet down enough")
                .isTrue();
        standby.state = new StandbyState(true, true, 7.0, false, 1, null);
        executor.runPeriodic();
        assertThat(mirror.pause().paused()).isFalse();
        mirror.stop();
    }

    @Test
    void aStoppedApplierPausesUnlessItIsAllowed() {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        mirror.start();
        standby.state = new StandbyState(true, true, null, true, 1, null);
        executor.runPeriodic();
        assertThat(mirror.pause().describe()).isEqualTo("paused_stopped");
        offer(mirror, "SELECT 1", 1);
        assertThat(dropped("paused")).isEqualTo(1);
        mirror.reload(MirrorConfigs.of(
                1, null, null, null, null, new MirrorConfig.PauseAbove(null, null, false), null, null));
        executor.runPeriodic();
        assertThat(mirror.pause().paused()).isFalse();
        mirror.reload(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        standby.state = new StandbyState(true, true, null, false, 1, null);
        executor.runPeriodic();
        assertThat(mirror.pause().paused())
                .as("one that does not replicate, or does not say")
                .isFalse();
        mirror.stop();
    }

    /** The address may now lead to another server, or to the same after a promotion. */
    @Test
    void theOperatorsResumeEndsWhenTheStandbyIsUnreachable() {
        standby.state = new StandbyState(true, false, 0.0, false, 1, null);
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        mirror.start();
        executor.runPeriodic();
        mirror.pause().resumeByOperator(mirror.config().pauseAbove());
        executor.runPeriodic();
        assertThat(mirror.pause().paused()).isFalse();
        standby.state = StandbyState.UNKNOWN;
        executor.runPeriodic();
        standby.state = new StandbyState(true, false, 0.0, false, 1, null);
        executor.runPeriodic();
        assertThat(mirror.pause().describe()).isEqualTo("paused_writable");
        mirror.stop();
    }
}
