package io.understudy.plugins.blackbox.kept;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.blackbox.history.AnsweredCommit;
import io.understudy.plugins.blackbox.history.AnsweredCommit.CommitEvidence;
import io.understudy.plugins.blackbox.history.Gtid;
import io.understudy.plugins.blackbox.history.Loss;
import java.util.List;
import org.junit.jupiter.api.Test;

/** OKs without a GTID, which MariaDB may have left out: {@code 0-1-N} is what the session would have got. */
class SupposedGtidsTest extends BlackBoxHarness {
    private void supposed(String gtid, long session, CommitEvidence how) {
        box.answered(List.of(new AnsweredCommit(gtid, session, 8, "app", "shop", 0x2aL, now, now, true, how)));
    }

    private void later() {
        now += 1_000;
    }

    private void dead() {
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "dead"));
    }

    @Test
    void aFreeTransactionIsAnsweredByIt() {
        start(1, "0-1-10");
        supposed("0-1-11", 7, CommitEvidence.WROTE);
        later();
        transaction(11);
        transaction(12);
        supposed("0-1-12", 7, CommitEvidence.MAY_WRITE);
        assertThat(on("0-1-10").missing)
                .extracting(each -> each.answered != null)
                .containsExactly(true, true);
        assertThat(on("0-1-10").notCaptured).isEmpty();
    }

    @Test
    void aReportedGtidGoesFirst() {
        start(1, "0-1-10");
        transaction(11);
        supposed("0-1-11", 7, CommitEvidence.WROTE);
        response("0-1-11");
        supposed("0-1-12", 9, CommitEvidence.WROTE);
        response("0-1-12");
        supposed("0-1-12", 9, CommitEvidence.WROTE);
        transaction(12);
        dead();
        Loss loss = on("0-1-10");
        assertThat(loss.missing).extracting(each -> each.answered).allSatisfy(each -> {
            assertThat(each).isNotNull();
            assertThat(each.supposed()).isNull();
        });
        assertThat(loss.notCaptured).isEmpty();
        assertThat(loss.unsettled).isEmpty();
    }

    @Test
    void whatWasLoggedBeforeTheCommandIsAnothers() {
        start(1, "0-1-10");
        transaction(11);
        later();
        supposed("0-1-11", 7, CommitEvidence.WROTE);
        supposed("0-1-9", 7, CommitEvidence.WROTE);
        dead();
        assertThat(on("0-1-8").missing)
                .extracting(each -> each.answered != null)
                .containsExactly(false);
        assertThat(on("0-1-8").notCaptured).isEmpty();
    }

    /** A later commit has arrived, so an earlier one would have. */
    @Test
    void aWriteThatWasNotLoggedIsForgottenWithTheNextCommit() {
        start(1, "0-1-10");
        supposed("0-1-20", 7, CommitEvidence.WROTE);
        later();
        transaction(11);
        response("0-1-11");
        later();
        dead();
        assertThat(on("0-1-10").notCaptured).isEmpty();
        supposed("0-1-20", 7, CommitEvidence.WROTE);
        assertThat(on("0-1-10").notCaptured).hasSize(1);
    }

    @Test
    void whatNeverArrivedIsListedByHowSureItIs() {
        start(1, "0-1-10");
        supposed("0-1-11", 7, CommitEvidence.COUNTED);
        response("0-1-12");
        supposed("0-1-13", 7, CommitEvidence.WROTE);
        supposed("0-1-14", 7, CommitEvidence.COUNTED);
        supposed("0-1-15", 7, CommitEvidence.MAY_WRITE);
        dead();
        now += 5 * MINUTE;
        box.expire();
        Loss loss = on("0-1-10");
        assertThat(loss.notCaptured.keySet())
                .extracting(Gtid::text)
                .as("there is a later one than the first")
                .containsExactlyInAnyOrder("0-1-11", "0-1-12", "0-1-13");
        assertThat(loss.unsettled.keySet()).extracting(Gtid::text).containsExactly("0-1-14");
        assertThat(on("0-1-14").unsettled).isEmpty();
    }
}
