package io.understudy.plugins.mirror.playback;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which statements are sent together, and when. */
class MirrorBatchTest extends MirrorHarness {
    /** A wake-up, a write and a read for each would cost more than the statements. */
    @Test
    void queuedStatementsAreSentTogetherWithoutWaitingForResponses() {
        StandbyMirror mirror = mirror(config(1, 100, "1MiB", Duration.ofMinutes(5)));
        offer(mirror, "SELECT 'first'", 1);
        run(mirror);
        standby.responding = false;
        List<String> batch = new ArrayList<>();
        for (int i = 0; i < BATCH; i++) {
            batch.add("SELECT " + i);
            offer(mirror, batch.get(i), 1);
        }
        assertThat(standby.connections.get(0).selects())
                .as("nothing more before the timer")
                .hasSize(1);
        standby.loop.runNext();
        assertThat(standby.connections.get(0).selects()).hasSize(1 + BATCH).containsSubsequence(batch);
        assertThat(executed("ok")).isEqualTo(1);
        standby.connections.get(0).respondAll();
        assertThat(executed("ok")).isEqualTo(1.0 + BATCH);
        mirror.stop();
    }

    /** At a high rate the queue would fill up before the timer fires. */
    @Test
    void aQuarterOfTheQueueDoesNotWaitForTheTimer() {
        StandbyMirror mirror = mirror(config(1, 100, "1MiB", Duration.ofMinutes(5)));
        offer(mirror, "SELECT 'first'", 1);
        run(mirror);
        for (int i = 0; i < 26; i++) {
            offer(mirror, "SELECT " + i, 1);
        }
        assertThat(executed("ok")).isGreaterThan(1.0);
        mirror.stop();
    }

    @Test
    void theTimerStopsWithoutStatementsAndStartsAgain() {
        StandbyMirror mirror = mirror(config(1, 100, "1MiB", Duration.ofMinutes(5)));
        offer(mirror, "SELECT 'first'", 1);
        run(mirror);
        offer(mirror, "SELECT 1", 1);
        offer(mirror, "SELECT 2", 1);
        assertThat(standby.loop.waiting()).isEqualTo(1);
        for (int i = 0; i < 100; i++) {
            standby.loop.runNext();
        }
        assertThat(executed("ok")).isEqualTo(3);
        assertThat(standby.loop.waiting()).isZero();
        offer(mirror, "SELECT 3", 1);
        standby.loop.runNext();
        assertThat(executed("ok")).isEqualTo(4);
        mirror.stop();
    }

    /** Each change of settings interrupts the batch; it must not interrupt the timer's round. */
    @Test
    void oneRoundServesSessionsWithDifferentSettings() {
        StandbyMirror mirror = mirror(config(1, 100, "1MiB", Duration.ofMinutes(5)));
        offer(mirror, "SELECT 'first'", 1);
        run(mirror);
        standby.responding = false;
        for (int i = 0; i < 6; i++) {
            offer(mirror, "SELECT " + i, 1, i % 2 == 0 ? SETTING : SETTING.in("shop"));
        }
        standby.loop.runNext();
        for (int i = 0; i < 20; i++) {
            standby.connections.get(0).respondAll();
        }
        assertThat(executed("ok")).isEqualTo(7);
        mirror.stop();
    }

    @Test
    void theBatchSizeFollowsTheStandbysPace() {
        BatchSize size = new BatchSize();
        assertThat(size.statements()).isEqualTo(BatchSize.MIN);
        for (int i = 0; i < 50; i++) {
            size.completed(8, 8 * 10_000);
        }
        assertThat(size.statements()).as("warm").isEqualTo(BatchSize.MAX);
        for (int i = 0; i < 50; i++) {
            size.completed(256, 256 * 100_000L);
        }
        assertThat(size.statements()).isBetween(45, 55);
        size.completed(50, 50 * 20_000_000L);
        assertThat(size.statements()).as("from disk").isEqualTo(BatchSize.MIN);
    }
}
