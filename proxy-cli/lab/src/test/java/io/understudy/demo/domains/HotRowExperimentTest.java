package io.understudy.demo.domains;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.demo.domains.SteeringDemo.HotRowExperiment;
import io.understudy.demo.domains.SteeringDemo.LagExperiment;
import io.understudy.embedded.EmbeddedPair;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code parallel: skip} on a replica that applies optimistically. */
@Timeout(180)
@Tag("long")
class HotRowExperimentTest {
    @Test
    void theReplicaRepeatsNothingWithTheMark() throws Exception {
        try (EmbeddedPair pair = EmbeddedPair.start(ConflictRun.parallel())) {
            LagExperiment.prepare(pair, 100);
            HotRowExperiment.prepare(pair);
            HotRowExperiment.Result parallel = new HotRowExperiment(pair, false, 3_000).run();
            HotRowExperiment.Result skip = new HotRowExperiment(pair, true, 3_000).run();
            assertThat(parallel.retries()).isPositive();
            assertThat(skip.retries() * 10).isLessThanOrEqualTo(parallel.retries());
        }
    }
}
