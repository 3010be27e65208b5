package io.understudy.plugins.blackbox.witness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Where the log has to begin so that every standby could be completed from it. */
class LowestPositionTest {
    @Test
    void takesTheLowerOfEachDomain() {
        assertThat(LowestPosition.ofMariaDb(List.of("0-1-9,7-1-3", "7-1-5,0-1-4")))
                .isEqualTo("0-1-4,7-1-3");
    }

    /** A replica that names no position of a domain gets it from its begin. */
    @Test
    void leavesOutADomainThatAStandbyLacks() {
        assertThat(LowestPosition.ofMariaDb(List.of("0-1-9,7-1-3", "0-1-4"))).isEqualTo("0-1-4");
    }

    @Test
    void takesWhatAllMySqlStandbysHave() {
        assertThat(LowestPosition.ofMySql(List.of("a-1:1-9,b-2:1-3", "a-1:1-4:6-7", "b-2:1-9,a-1:1-9")))
                .isEqualTo("a-1:1-4:6-7");
        assertThat(LowestPosition.ofMySql(List.of("a-1:1-9"))).isEqualTo("a-1:1-9");
    }
}
