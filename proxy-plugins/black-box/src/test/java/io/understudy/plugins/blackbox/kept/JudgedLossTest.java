package io.understudy.plugins.blackbox.kept;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugins.blackbox.history.InterruptedSession;
import io.understudy.plugins.blackbox.lost.LostReport;
import io.understudy.plugins.blackbox.outcome.OutcomeRecord;
import io.understudy.plugins.blackbox.outcome.OutcomeRecord.Verdict;
import io.understudy.plugins.blackbox.outcome.Outcomes;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What is known of a statement whose response never came counts in the report on what a server lacks. */
class JudgedLossTest extends BlackBoxHarness {
    private final Outcomes outcomes = new Outcomes();
    private final LostReport report = new LostReport(
            box,
            new SessionEvents(box, () -> {}),
            outcomes,
            () -> null,
            Clock.systemUTC(),
            () -> now,
            Map::of,
            () -> null);

    private void judged(long session, Verdict verdict, String gtid, boolean told) {
        outcomes.add(new OutcomeRecord(
                Instant.now(),
                session,
                3,
                "server_id 1",
                8,
                "app",
                0,
                "commit",
                null,
                verdict,
                gtid,
                "",
                true,
                told,
                0));
        box.interrupted(new InterruptedSession(session, 8, "app", 0, now));
    }

    private Map<?, ?> early() {
        return (Map<?, ?>)
                Objects.requireNonNull(report.of(survivor("0-1-13", "", "")).get("appliedNotKnownAnswered"));
    }

    @Test
    void onlyWhatNobodyWasToldOfIsNotKnownToHaveBeenAnswered() {
        start(1, "0-1-10");
        transaction(11);
        transaction(12);
        transaction(13);
        judged(7, Verdict.COMMITTED, "0-1-11", true);
        judged(8, Verdict.COMMITTED, "0-1-12", false);
        judged(9, Verdict.NOT_COMMITTED, "", false);
        judged(10, Verdict.UNKNOWN, "", false);

        assertThat(early().get("count")).isEqualTo(2);
        assertThat((List<?>) early().get("interruptedSessions"))
                .extracting(row -> Objects.requireNonNull(((Map<?, ?>) row).get("session")))
                .containsExactly(8L, 10L);
    }
}
