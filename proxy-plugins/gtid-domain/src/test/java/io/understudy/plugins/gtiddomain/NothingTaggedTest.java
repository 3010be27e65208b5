package io.understudy.plugins.gtiddomain;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugins.gtiddomain.tagging.WriteOutcome;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NothingTaggedTest {
    private static @Nullable String why(long matched, Map<WriteOutcome, Long> outcomes, String problem) {
        return NothingTagged.why(true, true, matched, outcomes, false, problem, false);
    }

    @Test
    void whereSomethingIsTaggedOrNothingIsToBeThereIsNoReason() {
        assertThat(why(9, Map.of(WriteOutcome.TAGGED, 1L, WriteOutcome.KEPT_DEFAULT, 8L), "a problem"))
                .isNull();
        assertThat(why(9, Map.of(WriteOutcome.PINNED, 1L), "")).isNull();
        assertThat(NothingTagged.why(false, false, 9, Map.of(), false, "a problem", true))
                .isNull();
    }

    @Test
    void theReasonIsTheFirstThatHolds() {
        assertThat(NothingTagged.why(true, false, 9, Map.of(), false, "a problem", true))
                .contains("before the plugin");
        assertThat(why(0, Map.of(), "")).contains("no statement has matched");
        assertThat(why(16, Map.of(WriteOutcome.KEPT_DEFAULT, 16L), "standby two: no position"))
                .isEqualTo("standby two: no position");
        assertThat(NothingTagged.why(true, true, 9, Map.of(WriteOutcome.KEPT_DEFAULT, 9L), false, "", true))
                .contains("learned");
        assertThat(why(9, Map.of(WriteOutcome.LEFT_ALONE, 5L, WriteOutcome.KEPT_DEFAULT, 4L), ""))
                .contains("BINLOG REPLAY");
        assertThat(why(9, Map.of(WriteOutcome.RESPECTED, 9L), "")).contains("themselves");
        assertThat(why(9, Map.of(WriteOutcome.KEPT_DEFAULT, 9L), "")).contains("must stay in the default domain");
        assertThat(why(9, Map.of(WriteOutcome.UNPROVEN, 9L), "")).contains("found out");
        assertThat(NothingTagged.why(true, true, 9, Map.of(WriteOutcome.UNPROVEN, 9L), true, "", false))
                .contains("BINLOG REPLAY");
    }
}
