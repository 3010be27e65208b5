package io.understudy.plugins.blackbox.kept;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.plugins.binlog.Transactions;
import io.understudy.plugins.blackbox.history.Answers;
import io.understudy.plugins.blackbox.history.Gtid;
import io.understudy.plugins.blackbox.history.InterruptedSession;
import io.understudy.plugins.blackbox.history.Loss;
import io.understudy.plugins.blackbox.history.Survivor;
import io.understudy.plugins.blackbox.lost.LostReport;
import io.understudy.plugins.blackbox.outcome.Outcomes;
import io.understudy.servers.ReportedPosition;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** Which transactions are retained, and which are reported as missing, received or unanswered. */
class BlackBoxTest extends BlackBoxHarness {
    @Test
    void keepsATransactionUntilEveryStandbyHasAppliedIt() {
        start(1, "0-1-10");
        transaction(11);
        transaction(12);
        transaction(13);
        box.applied(List.of(at("0-1-13", ""), at("0-1-11", "")), null);
        assertThat(box.transactions()).isEqualTo(2);
        assertThat(gtids(on("0-1-11").missing)).containsExactly("0-1-12", "0-1-13");
        assertThat(gtids(on("0-1-12").missing)).containsExactly("0-1-13");
        box.applied(List.of(at("0-1-13", ""), at("0-1-13", "")), null);
        assertThat(box.transactions()).isZero();
        assertThat(on("0-1-13").gaps.isEmpty()).isTrue();
        assertThat(on("0-1-13").missing).isEmpty();
    }

    @Test
    void distinguishesReceivedFromMissing() {
        start(1, "0-1-10");
        transaction(11);
        transaction(12);
        transaction(13);
        Loss loss = box.loss(survivor("0-1-11", "", "0-1-12"));
        assertThat(gtids(loss.received)).containsExactly("0-1-12");
        assertThat(gtids(loss.missing)).containsExactly("0-1-13");
    }

    @Test
    void anOkAndItsEventsAreJoinedInEitherOrder() {
        start(1, "0-1-10");
        response("0-1-11");
        transaction(11);
        transaction(12);
        response("0-1-12");
        transaction(13);
        response("0-1-14");
        Loss loss = on("0-1-10");
        assertThat(loss.missing).extracting(each -> each.answered != null).containsExactly(true, true, false);
        assertThat(loss.notCaptured.keySet()).extracting(Gtid::text).containsExactly("0-1-14");
        assertThat(on("0-1-14").notCaptured).isEmpty();
    }

    @Test
    void whatCannotBeRescuedIsListedFirst() {
        start(1, "0-1-10");
        for (int i = 11; i < 1_111; i++) {
            transaction(i);
            response("0-1-" + i);
        }
        response("0-1-1111");
        response("0-1-1112");
        Map<String, Object> view = new LostReport(
                        box,
                        new SessionEvents(box, () -> {}),
                        new Outcomes(),
                        () -> "it is frozen",
                        Clock.systemUTC(),
                        () -> now,
                        Map::of,
                        () -> null,
                        () -> false)
                .of(survivor("0-1-10", "", ""));
        Map<?, ?> missing = (Map<?, ?>) Objects.requireNonNull(view.get("answeredAndMissing"));
        assertThat(missing.get("count")).isEqualTo(1_102L);
        assertThat(view.get("primary"))
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("read", false)
                .containsEntry("why", "it is frozen");
        assertThat(missing.get("notCaptured")).isEqualTo(2L);
        List<?> rows = (List<?>) Objects.requireNonNull(missing.get("transactions"));
        assertThat(rows)
                .hasSize(1_000)
                .extracting(row -> Objects.requireNonNull(((Map<?, ?>) row).get("gtid")))
                .startsWith("0-1-1111", "0-1-1112", "0-1-11");
        assertThat(((Map<?, ?>) rows.get(0)).get("captured")).isEqualTo(false);
        assertThat(((Map<?, ?>) rows.get(0)).get("session")).isEqualTo(7L);
    }

    @Test
    void reportsAppliedButUnansweredTransactionsAfterTheirBytesAreReleased() {
        start(1, "0-1-10");
        transaction(11);
        transaction(12);
        response("0-1-11");
        box.applied(List.of(at("0-1-12", "")), null);
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "dead"));
        now += 3_600_000_000_000L;
        box.expire();
        assertThat(gtids(on("0-1-12").unanswered)).containsExactly("0-1-12");
        start(1, "0-1-12");
        box.expire();
        assertThat(gtids(on("0-1-12").unanswered)).as("its OK may be under way").containsExactly("0-1-12");
        now += MINUTE;
        box.expire();
        assertThat(on("0-1-12").unanswered).isEmpty();
    }

    /** A stream resumes where it ended: what came before the outage still finds its partner. */
    @Test
    void anOutageOfMoreThanAMinuteSeparatesNoOkFromItsEvents() {
        start(1, "0-1-10");
        response("0-1-11");
        box.interrupted(new InterruptedSession(7, 8, "app", 0, now));
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "lost"));
        now += 5 * MINUTE;
        start(1, "0-1-10");
        box.expire();
        assertThat(on("0-1-10").notCaptured).hasSize(1);
        assertThat(on("0-1-10").interrupted).hasSize(1);
        transaction(11);
        assertThat(on("0-1-10").missing)
                .extracting(each -> each.answered != null)
                .containsExactly(true);
        now += MINUTE;
        box.expire();
        assertThat(on("0-1-10").interrupted).isEmpty();
    }

    @Test
    void commitsBeyondTheBoundCountAsNotCapturedOnlyUntilTheyExpire() {
        start(1, "0-1-0");
        for (int number = 1; number <= Answers.MOST_WAITING + 3; number++) {
            response("0-1-" + number);
        }
        assertThat(on("0-1-0").moreNotCaptured).isEqualTo(3);
        now += 2 * MINUTE;
        box.expire();
        Loss loss = on("0-1-0");
        assertThat(loss.notCaptured).isEmpty();
        assertThat(loss.moreNotCaptured).isZero();
    }

    @Test
    void transactionsWithoutAnOkAreBoundedOnceEveryStandbyHasThem() {
        start(1, "0-1-10");
        int count = Answers.MOST_WAITING + 20;
        for (int number = 11; number < 11 + count; number++) {
            transaction(number);
            box.applied(List.of(at("0-1-" + number, "")), null);
        }
        Loss loss = on("0-1-" + (10 + count));
        assertThat(loss.unanswered).hasSize(Answers.MOST_WAITING);
        assertThat(loss.unanswered.get(0).gtid.text()).isEqualTo("0-1-31");
        response("0-1-31");
        transaction(11 + count);
        box.applied(List.of(at("0-1-" + (11 + count), "")), null);
        assertThat(on("0-1-" + (11 + count)).unanswered).hasSize(Answers.MOST_WAITING);
    }

    @Test
    void mySqlPositionsAreSets() {
        String uuid = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
        box.onStart(new PrimaryFacts(ServerFlavor.MYSQL, 1, uuid, true, "ROW", true, uuid + ":1-10"));
        box.onFormat(FORMAT);
        for (String gtid : List.of(uuid + ":11", uuid + ":blue:1", uuid + ":12", uuid + ":13")) {
            event("g", true);
            box.onTransaction(Transactions.of(
                    gtid,
                    TransactionKind.WRITE,
                    0,
                    1,
                    Long.parseLong(gtid.substring(gtid.lastIndexOf(':') + 1)),
                    -1,
                    0,
                    now,
                    Set.of(),
                    false));
        }
        response(uuid.toUpperCase(java.util.Locale.ROOT) + ":12-13");
        Loss loss = box.loss(Survivor.of(
                "s1",
                ServerFlavor.MYSQL,
                new ReportedPosition(uuid + ":1-9:12", "", uuid + ":blue:1", false, "host:3306:2"),
                "for the test"));
        assertThat(gtids(loss.missing)).containsExactly(uuid + ":11", uuid + ":13");
        assertThat(loss.missing).extracting(each -> each.answered != null).containsExactly(false, true);
        assertThat(gtids(loss.received)).containsExactly(uuid + ":blue:1");
        assertThat(loss.gaps).hasToString(uuid + ":10");
    }

    /** The old one was frozen, is not fenced, and its log still comes. */
    @Test
    void whatAPrimaryLacksOfAnotherThatIsStillReadDoesNotCome() {
        start(1, "0-1-10");
        transaction(11);
        assertThat(on("0-1-10").streaming).as("of a standby").isTrue();
        box.presentPrimary(name -> name.equals("s1"), () -> false);
        assertThat(on("0-1-10").streaming).isFalse();
        assertThat(on("0-1-10").ofFormer).isTrue();
        assertThat(on("0-1-11").streaming).as("it lacks nothing").isTrue();
    }

    /** Nobody has it but the old primary, or nobody. */
    @Test
    void aGapThatAFormerPrimaryHasLeftDoesNotComeEither() {
        start(1, "0-1-10");
        start(2, "0-1-9");
        transaction(2, 10, "own");
        assertThat(on("0-1-9").gaps).hasToString("0:10");
        assertThat(on("0-1-9").streaming).isFalse();
        assertThat(on("0-1-10").streaming).isTrue();
    }

    /** Its log is read on while a report asks with a position from before. */
    @Test
    void aServerLacksNothingThatItWritesItself() {
        start(1, "0-1-10");
        transaction(11);
        start(2, "0-1-10");
        transaction(2, 11, "own");
        response("0-2-12");
        Loss loss = on("0-1-10");
        assertThat(gtids(loss.missing)).containsExactly("0-1-11");
        assertThat(loss.notCaptured).isEmpty();
        assertThat(on("0-1-11").streaming)
                .as("nothing of the former primary is missing")
                .isTrue();
    }
}
