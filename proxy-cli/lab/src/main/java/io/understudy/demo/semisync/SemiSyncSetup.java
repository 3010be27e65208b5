package io.understudy.demo.semisync;

import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions.WaitPoint;
import java.time.Duration;

/** Sets up a pair's replication for a setting. */
final class SemiSyncSetup {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final EmbeddedPair pair;

    SemiSyncSetup(EmbeddedPair pair) {
        this.pair = pair;
    }

    void set(Setting setting) {
        // First without delay and without semi-sync, so that the standby catches up with the previous setting.
        pair.primary().execute("SET GLOBAL rpl_semi_sync_master_enabled = OFF");
        pair.link().delay(Duration.ZERO);
        pair.standby().execute("START SLAVE");
        pair.awaitCaughtUp(PATIENCE);
        if (setting.replica() == Setting.Replica.NONE) {
            pair.standby().execute("STOP SLAVE");
            return;
        }
        WaitPoint waitPoint = setting.waitPoint();
        if (waitPoint != null) {
            pair.primary()
                    .execute(
                            "SET GLOBAL rpl_semi_sync_master_wait_point = '" + waitPoint + "'",
                            "SET GLOBAL rpl_semi_sync_master_enabled = ON");
            pair.awaitSemiSyncClient();
        }
        pair.link().delay(setting.rtt());
    }
}
