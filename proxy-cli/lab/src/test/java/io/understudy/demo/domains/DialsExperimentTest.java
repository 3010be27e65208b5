package io.understudy.demo.domains;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.embedded.EmbeddedPair;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The dials of group commit on a real pair. */
@Timeout(180)
@Tag("long")
class DialsExperimentTest {
    @Test
    void aWaitMakesLargerGroupsAndTheReplicaAppliesTheSameLogWithEachNumberOfWorkers() throws Exception {
        try (EmbeddedPair pair = EmbeddedPair.start(ConflictRun.parallel())) {
            // So long that what a busy machine adds does not decide about the speed-up.
            DialsExperiment.prepare(pair, 10_000);
            DialsExperiment experiment = new DialsExperiment(pair, 8, 200, 1);
            DialsExperiment.Result none = experiment.run(0, 50_000);
            DialsExperiment.Result wait = experiment.run(8, 50_000);
            DialsExperiment.Result cut = experiment.run(8, 1);
            assertThat(wait.perGroup()).isGreaterThan(none.perGroup()).isGreaterThan(cut.perGroup());
            DialsCalibration calibration = DialsCalibration.of(
                    List.of(new DialsCalibration.Measured(wait.groupSizes(), wait.catchUp())), 0.8, 2);
            assertThat(calibration.speedup(wait.groupSizes(), 8)).isPositive();
            assertThat(wait.groupSizes().stream().mapToInt(size -> size).sum()).isEqualTo(200);
            assertThat(wait.catchUp())
                    .hasSize(4)
                    .allSatisfy((workers, seconds) -> assertThat(seconds).isPositive());
            assertThat(wait.speedup(8)).as("workers wait at the same time").isGreaterThan(1.3);
            assertThat(pair.standby().query("SELECT COUNT(*) FROM dials.log")).isEqualTo("200");
        }
    }
}
