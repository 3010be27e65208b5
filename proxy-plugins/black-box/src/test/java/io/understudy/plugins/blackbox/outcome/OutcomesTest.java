package io.understudy.plugins.blackbox.outcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.understudy.plugins.blackbox.outcome.OutcomeRecord.Verdict;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OutcomesTest {
    private static final Instant THEN = Instant.parse("2026-03-01T12:00:00Z");
    private static final Outcomes.Filter ANY = new Outcomes.Filter(0, null, 0, null, null);

    private final Outcomes outcomes = new Outcomes();

    private static OutcomeRecord record(long session, long thread, @Nullable String token, Verdict verdict) {
        return new OutcomeRecord(
                THEN.plusSeconds(session),
                session,
                3,
                "server_id 11",
                thread,
                "app" + session,
                session * 100,
                "commit",
                token,
                verdict,
                "",
                "",
                true,
                false,
                0);
    }

    @Test
    void aLaterOutcomeOfTheSameStatementTakesItsPlace() {
        outcomes.add(record(1, 57, null, Verdict.UNKNOWN));
        outcomes.add(record(2, 58, null, Verdict.UNKNOWN));
        outcomes.add(record(1, 57, null, Verdict.COMMITTED));

        assertThat(outcomes.find(ANY))
                .extracting(OutcomeRecord::session, OutcomeRecord::verdict)
                .containsExactly(tuple(2L, Verdict.UNKNOWN), tuple(1L, Verdict.COMMITTED));
    }

    @Test
    void sessionsOfAnEarlierRunWithTheSameNumberAreOtherStatements() {
        OutcomeRecord earlier = record(1, 57, null, Verdict.UNKNOWN);
        outcomes.add(new OutcomeRecord(
                THEN,
                1,
                3,
                "server_id 11",
                57,
                "app1",
                100,
                "commit",
                null,
                Verdict.COMMITTED,
                "0-1-1",
                "",
                true,
                true,
                0));
        outcomes.add(earlier);

        assertThat(outcomes.find(ANY)).hasSize(2);
    }

    @Test
    void eachPartOfTheFilterCounts() {
        outcomes.add(record(1, 57, "order-1", Verdict.COMMITTED));
        outcomes.add(record(2, 58, null, Verdict.COMMITTED));

        assertThat(outcomes.find(new Outcomes.Filter(58, null, 0, null, null))).hasSize(1);
        assertThat(outcomes.find(new Outcomes.Filter(0, "app1", 0, null, null))).hasSize(1);
        assertThat(outcomes.find(new Outcomes.Filter(0, null, 200, null, null))).hasSize(1);
        assertThat(outcomes.find(new Outcomes.Filter(0, null, 0, THEN.plusSeconds(2), null)))
                .hasSize(1);
        assertThat(outcomes.find(new Outcomes.Filter(0, null, 0, null, "order-1")))
                .hasSize(1);
        assertThat(outcomes.find(new Outcomes.Filter(57, "app2", 0, null, null)))
                .isEmpty();
    }

    @Test
    void theOldestGiveWay() {
        for (int i = 1; i <= Outcomes.MOST + 1; i++) {
            outcomes.add(record(i, i, null, Verdict.UNKNOWN));
        }

        assertThat(outcomes.find(ANY)).hasSize(Outcomes.MOST);
        assertThat(outcomes.find(new Outcomes.Filter(1, null, 0, null, null))).isEmpty();
    }
}
