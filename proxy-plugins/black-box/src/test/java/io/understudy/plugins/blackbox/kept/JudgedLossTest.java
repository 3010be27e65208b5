package io.understudy.plugins.blackbox.kept;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.blackbox.history.InterruptedSession;
import io.understudy.plugins.blackbox.lost.LostReport;
import io.understudy.plugins.blackbox.outcome.OutcomeRecord;
import io.understudy.plugins.blackbox.outcome.OutcomeRecord.Verdict;
import io.understudy.plugins.blackbox.outcome.Outcomes;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** What is known of a statement whose response never came counts in the report on what a server lacks. */
class JudgedLossTest extends BlackBoxHarness {
    private final Outcomes outcomes = new Outcomes();
    private boolean alive;
    private final LostReport report = report(box, outcomes, () -> alive);

    static LostReport report(BlackBox box) {
        return report(box, new Outcomes(), () -> false);
    }

    private static LostReport report(BlackBox box, Outcomes outcomes, BooleanSupplier alive) {
        return new LostReport(
                box,
                new SessionEvents(box, () -> {}),
                outcomes,
                () -> null,
                Clock.systemUTC(),
                System::nanoTime,
                Map::of,
                () -> null,
                alive);
    }

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

    /** Its account may not read the log, and its log has what was answered. */
    @Test
    void whatALivingPrimaryHasNotSentYetIsNotLost() {
        start(1, "0-1-10");
        response("0-1-11");
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.PRIVILEGE, "access denied"));
        assertThat(primary()).containsEntry("read", false).containsEntry("alive", false);
        alive = true;
        assertThat(primary()).containsEntry("read", false).containsEntry("alive", true);
        start(2, "0-1-10");
        assertThat(primary()).as("of the one before").containsEntry("alive", false);
    }

    private Map<Object, Object> primary() {
        return new HashMap<>((Map<?, ?>)
                Objects.requireNonNull(report.of(survivor("0-1-10", "", "")).get("primary")));
    }

    /** A switch and back, and then RESET MASTER. */
    @Test
    void theLogOfBeforeAResetIsHistory() {
        start(1, "0-1-10");
        start(2, "0-1-10");
        start(1, "0-1-12");
        assertThat(logs()).extracting("upTo").containsExactly("0-1-10", "0-1-12");
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "reset"));
        start(1, "0-1-3");
        assertThat(logs()).extracting("history").containsExactly(true, false, true, false);
    }

    private List<Map<?, ?>> logs() {
        List<Map<?, ?>> rows = new ArrayList<>();
        for (Object row : (List<?>)
                Objects.requireNonNull(report.of(survivor("0-1-10", "", "")).get("logs"))) {
            rows.add((Map<?, ?>) row);
        }
        return rows;
    }
}
