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

    @Test
    void whatWasMeasuredIsSimulated() {
        DialsCalibration twoProcessors = DialsCalibration.of(GROUPS_OF_EIGHT, seconds(1.7, 1.9, 1.7), 2);
        assertThat(twoProcessors.speedup(GROUPS_OF_EIGHT, 2)).isCloseTo(1.7, within(0.34));
        assertThat(twoProcessors.speedup(GROUPS_OF_EIGHT, 8)).isCloseTo(1.7, within(0.34));

        DialsCalibration manyProcessors = DialsCalibration.of(GROUPS_OF_EIGHT, seconds(1.8, 3.2, 5), 16);
        assertThat(manyProcessors.speedup(GROUPS_OF_EIGHT, 8)).isCloseTo(5, within(1.0));
        assertThat(manyProcessors.processors()).isGreaterThan(twoProcessors.processors());

        DialsCalibration slower = DialsCalibration.of(GROUPS_OF_EIGHT, seconds(0.95, 0.85, 0.7), 2);
        assertThat(slower.speedup(GROUPS_OF_EIGHT, 4)).isCloseTo(0.85, within(0.17));
        assertThat(slower.handOver()).isPositive();
    }

    @Test
    void smallerGroupsArePredictedSlowerWithTheSameCost() {
        DialsCalibration calibration = DialsCalibration.of(GROUPS_OF_EIGHT, seconds(1.8, 3.2, 5), 16);

        assertThat(calibration.speedup(Collections.nCopies(400, 1), 8))
                .isLessThan(calibration.speedup(GROUPS_OF_EIGHT, 8) / 2);
    }
}
