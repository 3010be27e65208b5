package io.understudy.plugins.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.netty.buffer.Unpooled;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionSettings;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.plugins.binlog.Transactions;
import io.understudy.plugins.blackbox.history.Gtid;
import io.understudy.plugins.blackbox.history.Loss;
import io.understudy.plugins.blackbox.history.Survivor;
import io.understudy.plugins.blackbox.kept.BlackBox;
import io.understudy.plugins.blackbox.kept.SessionEvents;
import io.understudy.plugins.blackbox.outcome.Outcomes;
import io.understudy.plugins.blackbox.outcome.SessionTrail;
import io.understudy.servers.ReportedPosition;
import io.understudy.testkit.FakeExchange;
import io.understudy.testkit.Fakes;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlackBoxObserverTest {
    private static final SessionContext SESSION = Fakes.of(
            SessionContext.class,
            Map.of(
                    "id",
                    7L,
                    "serverThreadId",
                    70L,
                    "user",
                    "app",
                    "schema",
                    "shop",
                    "flavor",
                    ServerFlavor.MARIADB,
                    "capabilities",
                    0L,
                    "settings",
                    Fakes.of(SessionSettings.class, Map.of("temporaryTables", false))));

    private final BlackBox box = new BlackBox(2 << 20, true, () -> 1_000);
    private final SessionEvents events = new SessionEvents(box, () -> {});
    private final BlackBoxObserver observer = observer(box, events);

    private static BlackBoxObserver observer(BlackBox filled, SessionEvents passed) {
        SessionTrail trail = new SessionTrail(SESSION, filled.traces(), new Outcomes(), Clock.systemUTC(), () -> 1_000);
        return new BlackBoxObserver(SESSION, passed, trail, null);
    }

    private Iterable<String> answered(FakeExchange exchange) {
        box.onStart(new PrimaryFacts(ServerFlavor.MARIADB, 1, "", true, "ROW", true, "0-1-10"));
        observer.onCommand(exchange);
        observer.onResponse(exchange, exchange);
        events.run();
        Survivor survivor = Survivor.of(
                "s1",
                ServerFlavor.MARIADB,
                new ReportedPosition("0-1-10", "", "", true, "host:3306:2"),
                "for the test");
        return box.loss(survivor).notCaptured.keySet().stream().map(Gtid::text).toList();
    }

    /** MySQL separates the sets of several servers by a comma and a line's end. */
    @Test
    void aPositionIsOneLine() {
        Survivor survivor = Survivor.of(
                "s1",
                ServerFlavor.MYSQL,
                new ReportedPosition(
                        "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5,\n4e11fa47-71ca-11e1-9e33-c80aa9429562:1",
                        "",
                        "",
                        true,
                        "host:3306:2"),
                "for the test");
        assertThat(survivor.position())
                .isEqualTo("3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5,4e11fa47-71ca-11e1-9e33-c80aa9429562:1");
    }

    /** On an event loop, which other sessions share. */
    @ParameterizedTest
    @ValueSource(strings = {"SET @a = '", "RESET '"})
    void aTextOfCombiningMarksTakesNoLongTime(String begin) {
        FakeExchange marks = FakeExchange.to(begin + "\u0300".repeat(100_000) + "'");
        assertTimeoutPreemptively(Duration.ofSeconds(15), () -> observer.onCommand(marks));
    }

    @Test
    void eachResultOfATextOfSeveralStatementsIsAnOk() {
        assertThat(answered(FakeExchange.to("INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)")
                        .gtid("0-1-11")
                        .earlierGtid("0-1-12", 1_500)))
                .containsExactly("0-1-11", "0-1-12");
    }

    @Test
    void anErrorAtTheEndLeavesTheOksBeforeIt() {
        assertThat(answered(FakeExchange.to("INSERT INTO t VALUES (1); INSERT INTO t VALUES (1)")
                        .gtid("0-1-11")
                        .error(1062)))
                .containsExactly("0-1-11");
    }

    /** MySQL repeats in each result what the ones before it have committed. */
    @Test
    void aCommitThatLaterResultsRepeatIsOneCommit() {
        String uuid = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
        box.onStart(new PrimaryFacts(ServerFlavor.MYSQL, 1, uuid, true, "ROW", true, uuid + ":1"));
        box.onFormat(new byte[1]);
        FakeExchange three = FakeExchange.to("INSERT INTO t VALUES (1); INSERT INTO t VALUES (2); DELETE FROM t")
                .gtid(uuid + ":2")
                .earlierGtid(uuid + ":2-3", 1_500)
                .earlierGtid(uuid + ":2-4", 1_600);
        for (int number = 2; number <= 4; number++) {
            box.onEvent(Unpooled.buffer(1).writeZero(1), 0, 1, true, true);
            box.onTransaction(Transactions.of(
                    uuid + ":" + number, TransactionKind.WRITE, 0, 1, number, -1, 0, 1_000, Set.of(), false));
        }
        observer.onCommand(three);
        observer.onResponse(three, three);
        events.run();
        Loss loss = box.loss(Survivor.of(
                "s1",
                ServerFlavor.MYSQL,
                new ReportedPosition(uuid + ":1", "", "", true, "host:3306:2"),
                "for the test"));
        assertThat(loss.missing)
                .hasSize(3)
                .allSatisfy(each -> assertThat(each.answered).isNotNull());
        assertThat(loss.notCaptured).isEmpty();
    }

    @Test
    void aResponseWithoutAGtidIsJudgedByWhatItHasWritten() {
        assertThat(judged(FakeExchange.to("INSERT INTO t VALUES (1)").affected(1)))
                .isEqualTo("not captured");
        assertThat(judged(FakeExchange.to("CREATE TABLE u (n INT)"))).isEqualTo("not captured");
        assertThat(judged(FakeExchange.to("CALL p()").affected(1))).isEqualTo("number unknown");
        assertThat(judged(FakeExchange.to("CALL p()"))).isEmpty();
        assertThat(judged(FakeExchange.to("UPDATE t SET n = n"))).isEmpty();
        assertThat(judged(FakeExchange.to("SELECT 1").rows(1))).isEmpty();
        assertThat(judged(FakeExchange.to("SET gtid_domain_id = 7"))).isEmpty();
        assertThat(judged(
                        FakeExchange.to("INSERT INTO t VALUES (1)").affected(1).inTrans(), FakeExchange.to("COMMIT")))
                .isEqualTo("not captured");
        assertThat(judged(
                        FakeExchange.to("INSERT INTO t VALUES (1)").affected(1).inTrans(),
                        FakeExchange.to("ROLLBACK"),
                        FakeExchange.to("COMMIT")))
                .isEmpty();
    }

    private String judged(FakeExchange... exchanges) {
        BlackBox other = new BlackBox(2 << 20, true, () -> 1_000);
        other.onStart(new PrimaryFacts(ServerFlavor.MARIADB, 1, "", true, "ROW", true, "0-1-10"));
        SessionEvents passed = new SessionEvents(other, () -> {});
        BlackBoxObserver observed = observer(other, passed);
        for (FakeExchange exchange : exchanges) {
            exchange.omittedGtid("0-1-11");
            observed.onCommand(exchange);
            observed.onResponse(exchange, exchange);
        }
        passed.run();
        Loss loss = other.loss(Survivor.of(
                "s1",
                ServerFlavor.MARIADB,
                new ReportedPosition("0-1-10", "", "", true, "host:3306:2"),
                "for the test"));
        return loss.notCaptured.isEmpty() ? loss.unsettled.isEmpty() ? "" : "number unknown" : "not captured";
    }
}
