package io.understudy.plugins.blackbox.outcome;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.SessionContext;
import io.understudy.protocol.CommandCode;
import io.understudy.testkit.FakeExchange;
import io.understudy.testkit.Fakes;
import java.time.Clock;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is known of a transaction that a client has named, whether it awaits its responses or not. */
class SessionTokensTest {
    private final Outcomes named = new Outcomes();
    private final SessionTokens tokens = session(7);
    private long sent;

    private SessionTokens session(long id) {
        Map<String, Object> values = Map.of("id", id, "serverThreadId", 70L, "user", "app");
        return new SessionTokens(Fakes.of(SessionContext.class, values), named, Clock.systemUTC(), () -> 1_000);
    }

    private FakeExchange send(String sql) {
        int at = sql.indexOf('#');
        FakeExchange command =
                FakeExchange.to(at < 0 ? sql : sql.substring(0, at)).numbered(++sent);
        tokens.onCommand(at < 0 ? command : command.token(sql.substring(at + 1)));
        return command;
    }

    private void respond(FakeExchange response, String gtid) {
        tokens.onResponse(response, response, gtid.isEmpty() ? null : gtid);
    }

    /** Returns "outcome gtid reason" of all that had the token, an open one with "…". */
    private String of(String token) {
        StringBuilder all = new StringBuilder();
        named.find(new Outcomes.Filter(0, null, 0, null, token))
                .forEach(each -> all.append(each.verdict().label())
                        .append(each.settled() ? "" : "…")
                        .append(' ')
                        .append(each.gtid())
                        .append('|'));
        return all.toString();
    }

    @Test
    void itIsKnownWhileOpenAndBehindItsResponse() {
        FakeExchange insert = send("INSERT INTO t VALUES (1)#a");
        assertThat(of("a")).isEqualTo("unknown… |");
        respond(insert, "0-1-1");
        assertThat(of("a")).isEqualTo("committed 0-1-1|");

        respond(send("INSERT INTO t VALUES (1)#b").error(1062), "");
        assertThat(of("b")).isEqualTo("unknown |");
    }

    @Test
    void whatRunsNoStatementEndsNoTransaction() {
        respond(send("INSERT INTO t VALUES (1)#a").inTrans(), "");
        respond(send("COMMIT").as(CommandCode.STMT_PREPARE).inTrans(), "");
        respond(send("ROLLBACK").as(CommandCode.STMT_PREPARE).inTrans(), "");
        respond(send("").as(CommandCode.PING), "");
        respond(send("").as(CommandCode.STMT_RESET).inTrans().error(1243), "");
        respond(send("DEALLOCATE PREPARE s").inTrans().error(1243), "");
        assertThat(of("a")).isEqualTo("unknown… |");
        respond(send("COMMIT"), "0-1-1");
        assertThat(of("a")).isEqualTo("committed 0-1-1|");

        respond(send("INSERT INTO t VALUES (1)#b").inTrans(), "");
        respond(send("").as(CommandCode.CREATE_DB), "0-1-3");
        assertThat(of("b")).isEqualTo("unknown |");

        respond(send("INSERT INTO t VALUES (1)#c").inTrans(), "");
        respond(send("ALTER TABLE t ADD UNIQUE (a)").inTrans().error(1062), "");
        respond(send("ROLLBACK"), "");
        assertThat(of("c")).isEqualTo("unknown |");
    }

    /** The server commits what is open before it refuses: MariaDB 10.11, MySQL 9.7. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "LOAD INDEX INTO CACHE mysql.user",
                "SET PASSWORD FOR u = 'x'",
                "SET @a = 1, PASSWORD FOR u = 'x'",
                "SET DEFAULT ROLE r FOR u",
                "SET STATEMENT max_statement_time = 1 FOR SET PASSWORD FOR u = 'x'"
            })
    void whatIsRefusedMayHaveCommitted(String sql) {
        respond(send("INSERT INTO t VALUES (1)#a").inTrans(), "");
        respond(send(sql).inTrans().error(1142), "");
        respond(send("ROLLBACK"), "");
        assertThat(of("a")).isEqualTo("unknown |");

        respond(send("INSERT INTO t VALUES (1)#b").inTrans(), "");
        respond(send("SET @password = f()").inTrans().error(1142), "");
        respond(send("ROLLBACK"), "");
        assertThat(of("b")).isEqualTo("not_committed |");
    }

    @Test
    void eachNameGetsTheEndOfItsOwnTransactionThoughAllWereSentAtOnce() {
        FakeExchange first = send("INSERT INTO t VALUES (1)#a");
        FakeExchange second = send("INSERT INTO t VALUES (2)#b");
        FakeExchange begin = send("BEGIN");
        FakeExchange third = send("INSERT INTO t VALUES (3)#c");
        FakeExchange fourth = send("INSERT INTO t VALUES (4)#d");
        FakeExchange commit = send("COMMIT");
        FakeExchange again = send("BEGIN");
        FakeExchange rollback = send("ROLLBACK");
        respond(first, "0-1-1");
        assertThat(of("b")).isEqualTo("unknown… |");
        respond(second.error(1146), "");
        respond(begin.inTrans(), "");
        respond(third.inTrans(), "");
        respond(fourth.inTrans(), "");
        respond(commit, "0-1-2");
        respond(again.inTrans(), "");
        respond(rollback, "");
        assertThat(of("a")).isEqualTo("committed 0-1-1|");
        assertThat(of("b")).isEqualTo("unknown |");
        assertThat(of("c")).isEqualTo("committed 0-1-2|");
        assertThat(of("d")).isEqualTo("committed 0-1-2|");
    }

    @Test
    void aNextBeginCommitsWhatWasOpen() {
        respond(send("INSERT INTO t VALUES (1)#a").inTrans(), "");
        respond(send("BEGIN#b").inTrans(), "0-1-1");
        respond(send("ROLLBACK"), "");
        assertThat(of("a")).isEqualTo("committed 0-1-1|");
        assertThat(of("b")).isEqualTo("not_committed |");
    }

    @Test
    void aChainedCommitEndsIt() {
        respond(send("INSERT INTO t VALUES (1)#a").inTrans(), "");
        respond(send("COMMIT AND CHAIN").inTrans(), "0-1-1");
        respond(send("ROLLBACK"), "");
        assertThat(of("a")).isEqualTo("committed 0-1-1|");
    }

    @ParameterizedTest
    @CsvSource({
        "1213, 'unknown |'",
        "1205, 'unknown |'",
        "1020, 'unknown |'",
        "1062, committed 0-1-1|",
        "1146, committed 0-1-1|"
    })
    void anErrorThatMayHaveRolledItBackEndsIt(int error, String outcome) {
        respond(send("INSERT INTO t VALUES (1)#a").inTrans(), "");
        respond(send("UPDATE t SET a = 2").inTrans().error(error), "");
        respond(send("INSERT INTO t VALUES (1)#b").inTrans(), "");
        respond(send("COMMIT"), "0-1-1");
        assertThat(of("a")).isEqualTo(outcome);
        assertThat(of("b")).isEqualTo("committed 0-1-1|");
    }

    /** A handler in it may have rolled back, and its COMMIT be that of what the client had begun. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "CALL p()",
                "EXECUTE IMMEDIATE 'CALL p()'",
                "SET STATEMENT sql_mode = '' FOR CALL p()",
                "ROLLBACK; BEGIN",
                "BEGIN NOT ATOMIC COMMIT; START TRANSACTION; END"
            })
    void whatMayHaveEndedItWithinLeavesItUnknown(String sql) {
        respond(send("INSERT INTO t VALUES (1)#a").inTrans(), "");
        respond(send(sql + "#b").beganInTransaction(true).inTrans(), "");
        FakeExchange commit = send("COMMIT#c");
        assertThat(tokens.lost(commit)).isEqualTo("c");
        assertThat(of("a") + of("b")).isEqualTo("unknown |unknown |");

        respond(send("INSERT INTO t VALUES (1)#d").inTrans(), "");
        respond(send(sql).inTrans().error(1644), "");
        tokens.onClose(true);
        assertThat(of("d")).isEqualTo("unknown |");
    }

    @ParameterizedTest
    @ValueSource(strings = {"BEGIN; INSERT INTO t VALUES (1); ROLLBACK#a", "XA PREPARE 'x'#a"})
    void itsOkIsNotACommit(String sql) {
        respond(send(sql), "");
        assertThat(of("a")).isEqualTo("unknown |");
    }

    @Test
    void whatIsOpenAtTheEndIsRolledBackIfNothingIsInFlight() {
        respond(send("INSERT INTO t VALUES (1)#a").inTrans(), "");
        tokens.onClose(true);
        assertThat(of("a")).isEqualTo("not_committed |");

        respond(send("INSERT INTO t VALUES (1)#b").inTrans(), "");
        tokens.onClose(false);
        assertThat(of("b")).isEqualTo("unknown |");
    }

    @Test
    void ofSeveralInFlightTheLostOneIsJudgedElsewhere() {
        send("INSERT INTO t VALUES (1)#a");
        FakeExchange lost = send("INSERT INTO t VALUES (2)#b");
        send("INSERT INTO t VALUES (3)#c");
        assertThat(tokens.lost(lost)).isEqualTo("b");
        assertThat(of("a") + of("b") + of("c")).isEqualTo("unknown |unknown |");
    }

    @Test
    void theLastNameOfAnEarlierTransactionIsNotThatOfALostOne() {
        respond(send("INSERT INTO t VALUES (1)#a"), "0-1-1");
        FakeExchange lost = send("INSERT INTO t VALUES (2)");
        assertThat(tokens.lost(lost)).isNull();
        assertThat(of("a")).isEqualTo("committed 0-1-1|");
    }

    @Test
    void aNameThatTwoHaveUsedHasTwoOutcomes() {
        respond(send("INSERT INTO t VALUES (1)#a").inTrans(), "");
        SessionTokens other = session(8);
        FakeExchange insert = FakeExchange.to("INSERT INTO t VALUES (2)").token("a");
        other.onCommand(insert);
        other.onResponse(insert, insert, "0-1-1");
        respond(send("ROLLBACK"), "");
        assertThat(of("a")).isEqualTo("committed 0-1-1|not_committed |");
    }

    @Test
    void eachStatementOfATransactionMayHaveTheName() {
        respond(send("BEGIN#a").inTrans(), "");
        respond(send("INSERT INTO t VALUES (1)#a").inTrans(), "");
        respond(send("COMMIT#a"), "0-1-1");
        assertThat(of("a")).isEqualTo("committed 0-1-1|");
    }

    @Test
    void aSessionThatNamesMoreThanAreFollowedLosesTheOldest() {
        for (int i = 0; i <= SessionTokens.MOST; i++) {
            send("INSERT INTO t VALUES (1)#t" + i);
        }
        assertThat(of("t0")).isEqualTo("unknown |");
        assertThat(of("t1")).isEqualTo("unknown… |");
    }
}
