package io.understudy.demo.domains;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DialsCalibrationTest {
    private static final List<Integer> GROUPS_OF_EIGHT = Collections.nCopies(50, 8);

    private static Map<Integer, Double> seconds(double two, double four, double eight) {
        return Map.of(1, 1.0, 2, 1 / two, 4, 1 / four, 8, 1 / eight);
    }

    private static DialsCalibration calibrated(Map<Integer, Double> seconds, int processors) {
        return DialsCalibration.of(List.of(new DialsCalibration.Measured(GROUPS_OF_EIGHT, seconds)), 0, processors);
    }

    @Test
    void whatWasMeasuredIsSimulated() {
        DialsCalibration twoProcessors = calibrated(seconds(1.7, 1.9, 1.7), 2);
        assertThat(twoProcessors.speedup(GROUPS_OF_EIGHT, 2)).isCloseTo(1.7, within(0.34));
        assertThat(twoProcessors.speedup(GROUPS_OF_EIGHT, 8)).isCloseTo(1.7, within(0.34));

        DialsCalibration manyProcessors = calibrated(seconds(1.8, 3.2, 5), 16);
        assertThat(manyProcessors.speedup(GROUPS_OF_EIGHT, 8)).isCloseTo(5, within(1.0));
        assertThat(manyProcessors.processors()).isGreaterThan(twoProcessors.processors());

        DialsCalibration slower = calibrated(seconds(0.95, 0.85, 0.7), 2);
        assertThat(slower.speedup(GROUPS_OF_EIGHT, 4)).isCloseTo(0.85, within(0.17));
        assertThat(slower.handOver()).isPositive();
    }

    @Test
    void smallerGroupsArePredictedSlowerWithTheSameCost() {
        DialsCalibration calibration = calibrated(seconds(1.8, 3.2, 5), 16);

        assertThat(calibration.speedup(Collections.nCopies(400, 1), 8))
                .isLessThan(calibration.speedup(GROUPS_OF_EIGHT, 8) / 2);
    }

    /** As measured on two cores beside other work: each row waits 2 of 2.28 ms. */
    @Test
    void logsThatWaitArePredictedFromOneSessionAndGroupsOfEight() {
        List<Integer> alone = Collections.nCopies(400, 1);
        DialsCalibration calibration = DialsCalibration.of(
                List.of(
                        new DialsCalibration.Measured(alone, Map.of(1, 0.91, 2, 0.95, 4, 0.92, 8, 0.95)),
                        new DialsCalibration.Measured(GROUPS_OF_EIGHT, Map.of(1, 0.91, 2, 0.486, 4, 0.274, 8, 0.191))),
                2.0 / 2.28,
                2);

        assertThat(calibration.speedup(alone, 8)).isCloseTo(1.0, within(0.25));
        List<Integer> six = Collections.nCopies(67, 6);
        assertThat(calibration.speedup(six, 4)).isCloseTo(2.83, within(0.25 * 2.83));
        assertThat(calibration.speedup(six, 8)).isCloseTo(3.95, within(0.25 * 3.95));
        List<Integer> fourteen = Collections.nCopies(29, 14);
        assertThat(calibration.speedup(fourteen, 2)).isCloseTo(1.95, within(0.25 * 1.95));
        assertThat(calibration.speedup(fourteen, 4)).isCloseTo(3.69, within(0.25 * 3.69));
        assertThat(calibration.speedup(fourteen, 8)).isCloseTo(6.35, within(0.25 * 6.35));
    }
}
