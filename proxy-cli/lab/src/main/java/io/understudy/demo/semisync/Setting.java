package io.understudy.demo.semisync;

import io.understudy.embedded.PairOptions.WaitPoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One row of the experiment: the primary's replication during the measurement.
 *
 * @param waitPoint where a commit waits for the acknowledgement; null unless the replica is semi-synchronous
 * @param rtt delay of the link to the replica, both ways together; zero without a replica
 */
public record Setting(Replica replica, @Nullable WaitPoint waitPoint, Duration rtt) {

    /** The kind of replica. */
    public enum Replica {
        NONE("none"),
        ASYNCHRONOUS("asynchronous"),
        SEMI_SYNCHRONOUS("semi-sync");

        private final String label;

        Replica(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }
    }

    boolean semiSync() {
        return replica == Replica.SEMI_SYNCHRONOUS;
    }

    /**
     * No replica, an asynchronous one at each delay, and a semi-synchronous one at each delay for either wait point.
     */
    static List<Setting> of(List<Duration> rtts) {
        List<Setting> all = new ArrayList<>();
        all.add(new Setting(Replica.NONE, null, Duration.ZERO));
        rtts.forEach(rtt -> all.add(new Setting(Replica.ASYNCHRONOUS, null, rtt)));
        for (WaitPoint waitPoint : List.of(WaitPoint.AFTER_COMMIT, WaitPoint.AFTER_SYNC)) {
            rtts.forEach(rtt -> all.add(new Setting(Replica.SEMI_SYNCHRONOUS, waitPoint, rtt)));
        }
        return all;
    }
}
