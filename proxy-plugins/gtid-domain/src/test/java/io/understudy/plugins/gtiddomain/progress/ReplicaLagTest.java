package io.understudy.plugins.gtiddomain.progress;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReplicaLagTest {
    private static final long MILLI = 1_000_000L;

    /** The new primary is at 20, which is less than the old one had reached. */
    @Test
    void whatAFailoverLostIsNotWaitedFor() {
        ReplicaLag lag = new ReplicaLag(new SimpleMeterRegistry(), new DomainIndexes(0), List.of("s1"));
        lag.update(0, GtidPosition.parse("0-1-15"), Map.of("s1", GtidPosition.parse("0-1-10")));
        lag.update(1000 * MILLI, GtidPosition.parse("0-1-30,5-1-3"), Map.of("s1", GtidPosition.parse("0-1-10")));
        lag.update(2000 * MILLI, GtidPosition.parse("0-2-20"), Map.of("s1", GtidPosition.parse("0-1-15")));
        assertThat(lag.view().get(0)).containsEntry("lagTransactions", 5L).containsEntry("lagSeconds", 1.0);
        lag.update(3000 * MILLI, GtidPosition.parse("0-2-40"), Map.of("s1", GtidPosition.parse("0-2-20")));
        assertThat(lag.view().get(0)).containsEntry("lagTransactions", 20L).containsEntry("lagSeconds", 0.0);
        lag.update(4000 * MILLI, GtidPosition.parse("0-2-40"), Map.of("s1", GtidPosition.parse("0-2-40")));
        assertThat(lag.view().get(0)).containsEntry("lagSeconds", 0.0);
    }

    @Test
    void theAgeOfALateStandbyGrowsHoweverManyPositionsCome() {
        ReplicaLag lag = new ReplicaLag(new SimpleMeterRegistry(), new DomainIndexes(0), List.of("s1"));
        GtidPosition behind = GtidPosition.parse("0-1-1");
        for (long i = 0; i <= 10_000; i++) {
            lag.update(i * 20 * MILLI, GtidPosition.parse("0-1-" + (i + 2)), Map.of("s1", behind));
        }
        assertThat(lag.view())
                .hasSize(1)
                .extracting(row -> (Double) row.get("lagSeconds"))
                .allSatisfy(seconds -> assertThat(seconds).isBetween(199.0, 200.0));
    }
}
