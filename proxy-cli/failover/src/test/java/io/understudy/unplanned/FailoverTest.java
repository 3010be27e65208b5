package io.understudy.unplanned;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FailoverTest {
    private static boolean isWitnessed(Map<String, Object> witness) {
        return Failover.isWitnessed(List.of(Map.of(), Map.of("witness", witness)));
    }

    /** Commits go on without one that has withdrawn: what the old primary has more clients may have been told of. */
    @Test
    void onlyAWitnessThatIsPresentHasAllThatClientsWereToldOf() {
        assertThat(isWitnessed(Map.of("state", "present", "mode", "disk"))).isTrue();
        for (String state : List.of("behind", "withdrawn")) {
            assertThat(isWitnessed(Map.of("state", state, "mode", "disk"))).isFalse();
        }
        assertThat(isWitnessed(Map.of())).isFalse();
    }
}
