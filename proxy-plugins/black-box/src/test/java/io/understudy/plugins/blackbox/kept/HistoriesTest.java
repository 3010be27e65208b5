package io.understudy.plugins.blackbox.kept;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.blackbox.history.AnsweredCommit;
import io.understudy.plugins.blackbox.history.Gtid;
import io.understudy.plugins.blackbox.history.InterruptedSession;
import io.understudy.plugins.blackbox.history.KeptTransaction;
import io.understudy.plugins.blackbox.history.Loss;
import io.understudy.plugins.blackbox.history.Survivor;
import io.understudy.plugins.blackbox.log.LogStart;
import io.understudy.servers.ReportedPosition;
import io.understudy.testkit.CapturedLog;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What former primaries wrote, after one or several changes of the primary. */
class HistoriesTest extends BlackBoxHarness {
    /** The list of what is lost does not shrink while an operator reads it. */
    /** It began when the primary was dead, and nobody has read what that wrote. */
    /** It answers before its log is read, and is not the old primary. */
    @Test
    void whatTheNewPrimaryAnsweredFirstIsNotLostWithTheOldOne() {
        start(1, "0-1-10");
        response("0-1-11");
        response("0-2-11");
        start(2, "0-2-11");
        assertThat(on("0-2-11").notCaptured.keySet()).extracting(Gtid::text).containsExactly("0-1-11");
    }

    @Test
    void aPrimaryOfWhichNothingWasReadIsNotForgotten() {
        box.primaryChanged(null);
        start(2, "0-2-10");
        assertThat(box.formerUnknown().toString()).contains("has read nothing of it");
        box.primaryChanged(null);
        box.compared(survivor("0-2-10", "", ""), null, false);
        assertThat(box.formerUnknown()).isEmpty();
        box.primaryChanged(null);
        assertThat(box.formerUnknown()).isEmpty();
        box.primaryChanged("what a witness has not acknowledged");
        start(3, "0-3-10");
        assertThat(box.formerUnknown()).containsExactly("what a witness has not acknowledged");
    }

    /** Its proxy died with it, perhaps before it had read all. */
    @Test
    void whatFollowsTheEndOfARestoredLogIsNotKnown() {
        box.restored(Clock.systemUTC())
                .start(new LogStart(1, false, primary(1, "0-1-10"), "0-1-10", Map.of(), Map.of(), Set.of()));
        assertThat(box.restoredEnd()).contains("(server_id 1) wrote behind 0-1-10");
        box.primaryChanged(box.restoredEnd());
        start(2, "0-2-11");
        assertThat(box.formerUnknown().toString()).contains("wrote behind 0-1-10");
        box.compared(survivor("0-2-11", "", ""), null, false);
        assertThat(box.formerUnknown()).isEmpty();
    }

    /** Nobody has told the proxy of a change: it was down. */
    @Test
    void aLogThatEndsWithAnotherPrimaryIsNotKnownToBeWhole() {
        box.restored(Clock.systemUTC())
                .start(new LogStart(1, false, primary(1, "0-1-10"), "0-1-10", Map.of(), Map.of(), Set.of()));
        start(2, "0-2-11");
        assertThat(box.formerUnknown().toString()).contains("wrote behind 0-1-10");
    }

    @Test
    void aLogThatThePrimaryGoesOnWithIsWhole() {
        box.restored(Clock.systemUTC())
                .start(new LogStart(1, false, primary(1, "0-1-10"), "0-1-10", Map.of(), Map.of(), Set.of()));
        box.primaryChanged(box.restoredEnd()); // all were read-only at first
        assertThat(box.formerUnknown().toString()).contains("wrote behind 0-1-10");
        start(1, "0-1-12");
        box.onFormat(FORMAT);
        assertThat(box.restoredEnd()).isNull();
        assertThat(box.formerUnknown()).isEmpty();
        start(2, "0-2-13");
        assertThat(box.formerUnknown()).isEmpty();
    }

    /** A report soon after the promotion. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatThePresentPrimaryAnswersBeforeItsLogIsReadIsNotMissingThere(boolean isPrimary) {
        box.presentPrimary(name -> isPrimary, () -> false);
        start(1, "0-1-10");
        response("0-1-11");
        box.primaryChanged(null);
        now += 10;
        response("0-2-11");
        List<String> expected = isPrimary ? List.of("0-1-11") : List.of("0-1-11", "0-2-11");
        assertThat(on("0-1-10").notCaptured.keySet()).extracting(Gtid::text).containsExactlyElementsOf(expected);
    }

    @Test
    void whatTheOldPrimaryDidNotSendStaysListedWhenAnotherPrimaryFollows() {
        start(1, "0-1-10");
        transaction(11);
        response("0-1-12");
        box.interrupted(new InterruptedSession(7, 8, "app", 0, now));
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "dead"));
        start(2, "0-1-11");
        now += 5 * MINUTE;
        box.expire();
        Loss loss = on("0-1-11");
        assertThat(loss.notCaptured.keySet()).extracting(Gtid::text).containsExactly("0-1-12");
        assertThat(gtids(loss.unanswered)).containsExactly("0-1-11");
        assertThat(loss.interrupted).hasSize(1);
    }

    /** A primary that is left while it takes writes commits the transactions that are open there. */
    @Test
    void whatTheOldPrimaryAnsweredAfterTheChangeStaysListed() {
        start(1, "0-1-10");
        transaction(11);
        start(2, "0-1-10");
        response("0-1-11");
        response("0-1-12");
        response("0-2-11");
        now += 5 * MINUTE;
        box.expire();
        Loss loss = on("0-1-10");
        assertThat(loss.missing)
                .extracting(each -> each.answered != null)
                .as("the OK of 0-1-11 is joined")
                .containsExactly(true);
        assertThat(loss.notCaptured.keySet()).extracting(Gtid::text).containsExactly("0-1-12");
        assertThat(loss.trouble).isEqualTo("the primary has changed");
        assertThat(loss.endedNanos).as("the time of the change").isEqualTo(now - 5 * MINUTE);
    }

    /** A proxy that found no primary may have read a standby. */
    @Test
    void aStandbysLogIsLeftOutBehindThatOfItsPrimary() {
        start(3, "0-3-10");
        transaction(3, 11, ".");
        transaction(3, 12, ".");
        start(1, "0-3-11");
        transaction(3, 12, ".");
        assertThat(gtids(on("0-3-11").missing)).as("of both").hasSize(2);
        assertThat(box.endWith(9)).as("nobody's").isEmpty();
        assertThat(box.endWith(3)).containsExactly(1L);
        assertThat(gtids(on("0-3-11").missing)).containsExactly("0-3-12");
        assertThat(box.primaries()).extracting(PrimaryFacts::serverId).containsExactly(3L);
    }

    @Test
    void whatALaterServerWroteIsNotLeftOut() {
        start(2, "0-2-10");
        transaction(2, 11, ".");
        start(1, "0-2-11");
        transaction(1, 12, ".");
        assertThat(box.endWith(2)).isEmpty();
        assertThat(gtids(on("0-2-11").missing)).containsExactly("0-1-12");
    }

    /** A log tells when a primary was last read; the clock of the process does not. */
    @Test
    void whenARestoredPrimaryWasReadIsNotKnownWithoutATransaction() {
        restore();
        start(2, "0-1-10");
        assertThat(on("0-1-10").endedNanos).as("nothing tells it").isNull();
    }

    @Test
    void aRestoredPrimaryWasReadUntilItsLastTransaction() {
        restore();
        box.onFormat(FORMAT);
        transaction(11);
        now += 5 * MINUTE;
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "dead"));
        assertThat(on("0-1-10").endedNanos).isEqualTo(now - 5 * MINUTE);
        start(2, "0-1-10");
        assertThat(on("0-1-10").endedNanos).isEqualTo(now - 5 * MINUTE);
    }

    private void restore() {
        box.restored(Clock.systemUTC())
                .start(new LogStart(1, false, primary(1, "0-1-10"), "0-1-10", Map.of(), Map.of(), Set.of()));
    }

    @Test
    void aHistoryThatIsForgottenIsReported() {
        start(1, "0-1-10");
        transaction(11);
        response("0-1-12");
        KeptTransaction kept = on("0-1-10").missing.get(0);
        try (CapturedLog log = new CapturedLog()) {
            for (int id = 2; id <= 20; id++) {
                start(id, "0-1-10");
            }
            assertThat(log.text()).isEmpty();
            assertThat(box.formerUnknown()).isEmpty();
            start(21, "0-1-10");
            assertThat(log.text())
                    .contains("what server_id 1 wrote, which is forgotten: 1 transactions that some standby has not"
                            + " applied, and 1 that were answered and not captured");
            start(22, "0-1-10");
            assertThat(log.text().lines()).as("nothing was missing there").hasSize(1);
        }
        assertThat(box.dropped()).as("not for want of room").isZero();
        assertThat(on("0-1-10").forgotten).isEqualTo(2);
        assertThat(box.bytes(kept)).isNull();
        assertThat(box.formerUnknown().toString()).contains("2 transactions that are forgotten");
        box.presentPrimary(name -> true, () -> false);
        box.compared(survivor("0-1-10", "", ""), null, false);
        assertThat(box.formerUnknown()).isEmpty();
    }

    /** A new primary continues the numbering: its 0-2-12 is another transaction than the old primary's 0-1-12. */
    @Test
    void numbersOfANewPrimaryDoNotCountForTheOldOnes() {
        start(1, "0-1-10");
        transaction(11);
        transaction(12);
        transaction(13);
        Loss promoted = box.loss(survivor("0-1-11", "0-1-11,0-2-20", ""));
        assertThat(gtids(promoted.missing)).containsExactly("0-1-12", "0-1-13");
        assertThat(promoted.beyond()).isEqualTo("0-2-20");
        Loss repointed = box.loss(survivor("0-2-20", "0-1-11,0-2-20,0-3-4", ""));
        assertThat(gtids(repointed.missing)).containsExactly("0-1-12", "0-1-13");
        box.applied(List.of(at("0-1-11", "0-1-11,0-2-20"), at("0-2-20", "0-1-11,0-2-20")), null);
        assertThat(box.transactions()).isEqualTo(2);
    }

    /** Transactions that the primary replicated from another server are part of its history. */
    @Test
    void aPositionInTheHistoryCountsForAllBeforeIt() {
        start(1, "0-1-10");
        transaction(3, 11, ".");
        transaction(1, 12, ".");
        transaction(3, 13, ".");
        assertThat(gtids(on("0-1-12").missing)).containsExactly("0-3-13");
        assertThat(gtids(on("0-3-13").missing)).isEmpty();
        assertThat(gtids(on("0-1-14").missing)).as("further than was read").isEmpty();
        assertThat(on("0-1-14").gaps.isEmpty()).isTrue();
    }

    @Test
    void theOldPrimarysTransactionsStayWhenAnotherPrimaryFollows() {
        start(1, "0-1-10");
        transaction(11);
        transaction(12);
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "dead"));
        start(2, "0-1-11");
        transaction(2, 12, ".");
        transaction(2, 13, ".");
        Loss loss = box.loss(survivor("0-1-11", "0-1-11,0-2-13", ""));
        assertThat(gtids(loss.missing)).containsExactly("0-1-12");
        assertThat(loss.streaming).as("they cannot arrive any more").isFalse();
        assertThat(loss.trouble).isEqualTo("the primary has changed");
        box.applied(List.of(at("0-1-11", "0-1-11,0-2-13")), null);
        assertThat(box.transactions()).isEqualTo(1);
        assertThat(box.primaries()).extracting(PrimaryFacts::serverId).containsExactly(1L, 2L);
        assertThat(box.loss(survivor("0-1-12", "0-1-12,0-2-12", "")).streaming)
                .as("what the present primary wrote can still arrive")
                .isTrue();
    }

    /** A planned switch and back, then a kill: what the survivor has from before is no gap, and it wrote nothing. */
    /** A replayed file is in the binary log alone. */
    @Test
    void aSurvivorIsAtTheFurtherPosition() {
        assertThat(survivor("0-1-10", "0-1-17,1-1-2", "").position()).isEqualTo("0-1-17,1-1-2");
        assertThat(survivor("0-1-10,2-1-5", "0-1-7", "").position()).isEqualTo("0-1-10,2-1-5");
        assertThat(survivor("0-1-10", "", "").position()).isEqualTo("0-1-10");
    }

    @Test
    void afterASwitchAndBackASurvivorHasWhatWasBefore() {
        start(1, "0-1-10");
        transaction(11);
        start(2, "0-1-11");
        start(1, "0-1-11");
        transaction(12);
        transaction(13);
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "dead"));
        Loss loss = on("0-1-12");
        assertThat(gtids(loss.missing)).containsExactly("0-1-13");
        assertThat(loss.gaps.toString()).isEmpty();
        assertThat(loss.beyond()).isEmpty();
    }

    /** A server without a binary log of replicated transactions has only the last GTID. */
    @Test
    void aPositionAtALaterPrimaryCountsForThoseBeforeIt() {
        start(1, "0-1-10");
        transaction(11);
        start(2, "0-1-11");
        transaction(2, 12, ".");
        transaction(2, 13, ".");
        start(3, "0-2-12");
        transaction(3, 13, ".");
        Loss loss = on("0-3-13");
        assertThat(gtids(loss.missing)).as("the third primary began without it").containsExactly("0-2-13");
        assertThat(loss.gaps.toString()).isEmpty();
        assertThat(loss.beyond()).isEqualTo("0-3-13");
        box.applied(List.of(at("0-3-13", "")), null);
        assertThat(box.transactions()).isEqualTo(1);
    }

    /** Of a standby that was not pointed to the new primary yet. */
    @Test
    void whatIsMissingOfTheFormerLogIsNoGapOfThePresentOne() {
        start(1, "0-1-10");
        transaction(11);
        transaction(12);
        transaction(13);
        start(2, "0-1-12", "0-1-12");
        transaction(2, 13, ".");
        Loss loss = onThird("0-1-10");
        assertThat(gtids(loss.missing)).containsExactly("0-1-11", "0-1-12", "0-1-13", "0-2-13");
        assertThat(loss.gaps).hasToString("");
        assertThat(onThird("0-1-8").gaps).hasToString("0:9-10");
    }

    /** The same numbers, behind the end of what both have. */
    @Test
    void whatTheNewPrimaryWroteBeforeItsLogWasReadIsAGap() {
        start(1, "0-1-10");
        transaction(11);
        transaction(12);
        start(2, "0-2-12", "0-1-11,0-2-12");
        assertThat(onThird("0-1-10").gaps).hasToString("0:11-12");
    }

    private Loss onThird(String slavePos) {
        ReportedPosition reported = new ReportedPosition(slavePos, "", "", true, "host:3306:3");
        return box.loss(Survivor.of("s3", ServerFlavor.MARIADB, reported, "for the test"));
    }

    /** The killed server became the primary by a planned switch: its predecessor survives it. */
    @Test
    void whatAFormerPrimaryLacksIsNoReasonToSuspectTheSurvivor() {
        start(1, "0-1-10");
        start(2, "0-1-10");
        transaction(2, 11, ".");
        transaction(2, 12, ".");
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "dead"));
        Loss loss = box.loss(survivor("0-2-11", "0-1-10,0-2-11", ""));
        assertThat(gtids(loss.missing)).containsExactly("0-2-12");
        assertThat(loss.beyond()).isEmpty();
    }

    /** RESET MASTER, or a crash that lost the end of the log: the same numbers come a second time. */
    @Test
    void numbersThatGoBackDenoteOtherTransactions() {
        start(1, "0-1-10");
        transaction(11);
        box.applied(List.of(box.seen("host:3306:2", at("0-1-11", ""), STILL)), null);
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "reset"));
        try (CapturedLog log = new CapturedLog()) {
            start(1, "0-1-3");
            assertThat(log.text()).contains("is now at '0-1-3', behind 0-1-11: its GTIDs begin anew");
        }
        transaction(4);
        response("0-1-5");
        box.applied(List.of(box.seen("host:3306:2", at("0-1-11", ""), STILL)), null);
        Loss loss = on("0-1-11");
        assertThat(gtids(loss.missing)).containsExactly("0-1-4");
        assertThat(loss.notCaptured.keySet()).extracting(Gtid::text).containsExactly("0-1-5");
        assertThat(loss.gaps).hasToString("0:1-3");
        box.seen("host:3306:2", at("", ""), STILL);
        assertThat(on("0-1-4").missing)
                .as("it has gone back, which proves nothing")
                .hasSize(1);
        box.compared(survivor("0-1-4", "", ""), null, false);
        loss = on("0-1-4");
        assertThat(loss.missing).as("built anew").isEmpty();
        assertThat(loss.gaps).hasToString("");
        assertThat(loss.notCaptured).hasSize(1);
    }

    @Test
    void aResetThroughTheProxyIsKnownByItself() {
        start(1, "0-1-10");
        transaction(11);
        on("0-1-11");
        SessionEvents events = new SessionEvents(box, () -> {});
        events.reset();
        events.answered(new AnsweredCommit("0-1-11", 7, 8, "app", "shop", 0x2aL, now, now, true, null));
        events.run();
        assertThat(on("0-1-11").notCaptured).hasSize(1);
        start(1, "0-1-11");
        Loss loss = on("0-1-11");
        assertThat(loss.notCaptured).as("by its OK").hasSize(1);
        assertThat(loss.gaps).hasToString("0:1-11");
    }

    /** There and back again: the standby wrote the greater part of the present primary's log, and replicated none. */
    @Test
    void whatAServerWroteItselfIsNoGap() {
        start(1, "0-1-10");
        start(2, "0-1-10", "0-1-10");
        for (long number = 11; number <= 15; number++) {
            transaction(2, number, ".");
        }
        start(1, "0-1-18", "0-2-15,0-1-18"); // the last three were written before the log is read
        transaction(19);
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "dead"));
        Loss loss = box.loss(survivor("0-1-10", "0-1-10,0-2-15", ""));
        assertThat(loss.gaps).as("what it lacks is named still").hasToString("0:16-18");
        assertThat(gtids(loss.missing)).containsExactly("0-1-19");
        assertThat(loss.beyond()).isEmpty();
    }

    /** It wrote more as the primary than the next one has: the part before it is common. */
    @Test
    void whatTheNextPrimaryNeverGotDoesNotHideTheCommonPart() {
        start(1, "0-1-18", "0-2-15,0-1-18");
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "dead"));
        Loss loss = box.loss(survivor("0-1-10", "0-1-10,0-2-17", ""));
        assertThat(loss.gaps).hasToString("0:16-18");
    }

    /** A former primary that has written nothing since: its own log says so. */
    @Test
    void transactionsOfAServerThatIsNotInThePrimarysLogDoNotCount() {
        start(1, "0-1-18", "0-1-18");
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "dead"));
        Loss loss = box.loss(survivor("0-1-10", "0-1-10,0-2-15", ""));
        assertThat(loss.gaps).hasToString("0:11-18");
    }
}
