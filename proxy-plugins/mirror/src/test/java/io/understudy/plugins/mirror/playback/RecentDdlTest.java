package io.understudy.plugins.mirror.playback;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.sql.TableName;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class RecentDdlTest {
    private static final TableName TABLE = new TableName("shop", "t");
    private static final long LATER = TimeUnit.HOURS.toNanos(1);
    private static final int ROUNDS = 300_000;

    private final RecentDdl changes = new RecentDdl();

    @Test
    void aChangeReportedWhileAnOldOneIsForgottenStays() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        Thread sweeper = new Thread(() -> {
            while (!done.get()) {
                changes.forget(LATER, 0);
            }
        });
        sweeper.start();
        int lost = 0;
        try {
            for (int i = 0; i < ROUNDS; i++) {
                changes.changedEverything(0);
                changes.changedEverything(LATER);
                if (changes.last(TABLE) == null) {
                    lost++;
                }
                // Old enough for the next round to begin anew.
                changes.forget(2 * LATER, 0);
            }
        } finally {
            done.set(true);
            sweeper.join();
        }
        assertThat(lost).isZero();
    }

    @Test
    void theLatestChangeOfANameCounts() {
        changes.changed(TABLE, 5);
        changes.changed(TABLE, 3);
        assertThat(changes.last(TABLE)).isEqualTo(5);
        changes.changedEverything(9);
        changes.changed(TABLE, 7);
        assertThat(changes.last(TABLE)).isEqualTo(9);
        changes.changed(TABLE, 11);
        assertThat(changes.last(TABLE)).isEqualTo(11);
    }
}
