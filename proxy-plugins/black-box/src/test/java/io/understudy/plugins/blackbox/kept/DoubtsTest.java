package io.understudy.plugins.blackbox.kept;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.blackbox.history.Survivor;
import io.understudy.plugins.blackbox.lost.LostReport;
import io.understudy.plugins.blackbox.lost.Rescue;
import io.understudy.plugins.blackbox.outcome.Outcomes;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What a replay hides: MariaDB's position implies all lower numbers. */
class DoubtsTest extends BlackBoxHarness {
    private final LostReport report = new LostReport(
            box,
            new SessionEvents(box, () -> {}),
            new Outcomes(),
            () -> null,
            Clock.systemUTC(),
            () -> now,
            Map::of,
            () -> null,
            () -> false);

    private Object implied(String applied, String received) {
        Map<?, ?> view = (Map<?, ?>) Objects.requireNonNull(
                report.of(survivor(applied, "", received)).get("impliedOnly"));
        return Objects.requireNonNull(view.get("numbers"));
    }

    private void dead() {
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "dead"));
    }

    @Test
    void aGapStaysThoughAReplayGoesPastIt() {
        start(1, "0-1-10");
        commit(0, 1, 11);
        transaction(12);
        transaction(13);
        dead();
        assertThat(implied("0-1-10", "")).isEqualTo("");
        assertThat(implied("0-1-13", "")).isEqualTo("0:11");
        assertThat(implied("0-1-14", "")).as("and for ever").isEqualTo("0:11");
    }

    @Test
    void aLookLeavesNothingBehind() {
        start(1, "0-1-10");
        commit(0, 1, 11);
        transaction(12);
        dead();
        assertThat(report.unrecorded(survivor("0-1-10", "", ""))).containsKey("impliedOnly");
        assertThat(implied("0-1-12", "")).isEqualTo("");
    }

    @Test
    void whatWasReceivedCountsOnceTheServerIsSeenAtIt() {
        start(1, "0-1-10");
        transaction(11);
        transaction(12);
        transaction(13);
        dead();
        implied("0-1-10", "0-1-12");
        box.seen("host:3306:2", at("0-1-11", ""), STILL);
        assertThat(implied("0-1-13", "")).as("12 was discarded").isEqualTo("0:12");
    }

    @Test
    void whatWasReceivedAndDiscardedIsInTheNextFile() {
        start(1, "0-1-10");
        transaction(11);
        transaction(12);
        dead();
        implied("0-1-10", "0-1-11");
        implied("0-1-10", "");
        assertThat(implied("0-1-12", "")).isEqualTo("");
    }

    /** The last transactions are those that were not captured: no replay goes past them. */
    @Test
    void whatWasNotCapturedCountsOnceItsNumberIsReached() {
        start(1, "0-1-10");
        transaction(11);
        response("0-1-12");
        dead();
        implied("0-1-10", "");
        assertThat(on("0-1-11").notCaptured).hasSize(1);
        assertThat(implied("0-1-12", "")).isEqualTo("");
    }

    @Test
    void aServerIsTheSameUnderAnotherName() {
        start(1, "0-1-10");
        commit(0, 1, 11);
        transaction(12);
        dead();
        implied("0-1-10", "");
        Survivor renamed = survivor("0-1-12", "", "");
        assertThat(box.loss(new Survivor(
                                "primary", renamed.applied(), null, "", false, "", renamed.server(), List.of()))
                        .implied)
                .hasToString("0:11");
        assertThat(box.loss(new Survivor("other", renamed.applied(), null, "", false, "", "other", List.of())).implied)
                .hasToString("");
    }

    @Test
    void aPrimaryThatReturnsSendsWhatWasMissingUnlessAFileWasWritten() {
        start(1, "0-1-10");
        commit(0, 1, 11);
        transaction(12);
        dead();
        implied("0-1-10", "");
        start(1, "0-1-12");
        assertThat(on("0-1-12").implied).hasToString("");
        dead();
        new Rescue(box, () -> null, (survivor, read) -> List.of()).begin(survivor("0-1-10", "", ""), true);
        start(1, "0-1-12");
        assertThat(on("0-1-12").implied).hasToString("0:11");
    }

    /** A copy of the primary jumps past what was missing, as a replay does; the proxy cannot tell them apart. */
    @Test
    void aServerThatWasBuiltAnewIsNotInDoubtOnceSomebodySaysSo() {
        start(1, "0-1-10");
        commit(0, 1, 11);
        transaction(12);
        dead();
        implied("0-1-10", "");
        assertThat(implied("0-1-12", "")).isEqualTo("0:11");
        box.compared(survivor("0-1-12", "", ""), null, false);
        assertThat(implied("0-1-12", "")).isEqualTo("");
    }

    @Test
    void whatThePositionLacksStaysInDoubt() {
        start(1, "0-1-10");
        commit(0, 1, 11);
        transaction(12);
        dead();
        implied("0-1-10", "");
        box.compared(survivor("0-1-10", "", ""), null, false);
        assertThat(implied("0-1-12", "")).as("a replay that came after").isEqualTo("0:11");
    }

    /** The same server was the primary twice, and its log goes on: one of the positions is the one to note. */
    @Test
    void anEarlierTimeOfAServerAsPrimaryIsNoLogOfItsOwn() {
        start(2, "0-2-10");
        start(1, "0-2-12");
        start(2, "0-1-20");
        dead();
        Object logs = report.of(survivor("0-2-10", "", "")).get("logs");
        assertThat(String.valueOf(logs)).containsPattern("0-2-12.*0-1-20").doesNotContain("0-2-10", "history=true");
    }
}
