package io.understudy.plugins.gtiddomain.progress;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReplicaLagTest {
    private static final long MILLI = 1_000_000L;

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
