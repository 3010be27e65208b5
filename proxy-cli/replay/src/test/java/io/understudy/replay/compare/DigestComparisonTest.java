package io.understudy.replay.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.replay.compare.ResultPrint.Relation;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class DigestComparisonTest {
    private final DigestComparison digest = new DigestComparison(1, "SELECT ?");

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The statement that is shown is of the finding, not the first that was not equal. */
    @Test
    void theExampleIsTheWorstDifference() {
        digest.relation(Relation.ORDER, bytes("other order"), null);
        digest.relation(Relation.DIFFERENT, bytes("other rows"), null);
        digest.relation(Relation.METADATA, bytes("other names"), null);
        assertThat(new String(Objects.requireNonNull(digest.example()).text(), StandardCharsets.UTF_8))
                .isEqualTo("other rows");
    }

    @Test
    void aTimeoutOfADoesNotHideThoseOfB() {
        digest.timeoutsA = 1;
        digest.timeoutsB = 6;
        assertThat(digest.stuckOnB()).isTrue();
        assertThat(digest.stuckOnA()).isFalse();
        digest.timeoutsA = 3;
        assertThat(digest.stuckOnB()).isFalse();
    }
}
