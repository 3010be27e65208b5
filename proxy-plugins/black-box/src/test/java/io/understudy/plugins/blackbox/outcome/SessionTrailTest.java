package io.understudy.plugins.blackbox.outcome;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionSettings;
import io.understudy.plugins.blackbox.outcome.UnansweredStatement.Effect;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.CommandCode;
import io.understudy.testkit.FakeExchange;
import io.understudy.testkit.Fakes;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is known of a session when it loses a statement. */
class SessionTrailTest {
    private final Map<String, Object> session = new HashMap<>(Map.of(
            "id",
            7L,
            "serverThreadId",
            70L,
            "user",
            "app",
            "flavor",
            ServerFlavor.MARIADB,
            "capabilities",
            0L,
            "settings",
            Fakes.of(SessionSettings.class, Map.of("temporaryTables", false))));
    private final Outcomes named = new Outcomes();
    private final SessionTrail trail = new SessionTrail(
            Fakes.of(SessionContext.class, session), new Traces(() -> 1_000), named, Clock.systemUTC(), () -> 1_000);

    private void run(FakeExchange exchange) {
        trail.onCommand(exchange);
        trail.onResponse(exchange, exchange);
    }

    private UnansweredStatement lost(FakeExchange exchange) {
        trail.onCommand(exchange);
        return trail.lost(exchange, 0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "COMMIT ~ INSERT INTO t VALUES (1)",
                "COMMIT ~ COMMIT",
                "COMMIT ~ COMMIT;",
                "COMMIT ~ START TRANSACTION WITH CONSISTENT SNAPSHOT",
                "COMMIT ~ SET autocommit = 1",
                "COMMIT ~ SET STATEMENT max_statement_time = 1 FOR DELETE FROM t",
                "SCHEMA ~ CREATE TABLE t (a INT)",
                "SEVERAL ~ INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)",
                "SEVERAL ~ COMMIT; INSERT INTO t VALUES (2)",
                "SEVERAL ~ SET autocommit = 1; INSERT INTO t VALUES (2)",
                "SEVERAL ~ BEGIN NOT ATOMIC INSERT INTO t VALUES (1); INSERT INTO t VALUES (2); END",
                "SEVERAL ~ SET STATEMENT max_statement_time = 1 FOR CALL p()",
                "SCHEMA ~ DROP TABLE t",
                "SCHEMA ~ GRANT SELECT ON t TO u",
                "XA_END ~ XA COMMIT 'x'",
                "XA_PREPARE ~ XA PREPARE 'x'",
                "SEVERAL ~ DROP TABLE t, u",
                "SEVERAL ~ DROP DATABASE d",
                "SEVERAL ~ CALL p()",
            })
    void oneTransactionIsAllOnlyOfAStatementThatCanHaveNoMore(Effect effect, String sql) {
        assertThat(lost(FakeExchange.to(sql)).effect()).isEqualTo(effect);
    }

    @Test
    void aWriteOfAnOpenTransactionCommitsNothing() {
        run(FakeExchange.to("BEGIN").numbered(1).inTrans());
        FakeExchange delete = FakeExchange.to("DELETE FROM t").numbered(2).beganInTransaction(true);
        assertThat(lost(delete).effect()).isEqualTo(Effect.NONE);

        FakeExchange behind = FakeExchange.to("DELETE FROM t").numbered(3).beganInTransaction(true);
        assertThat(lost(behind).effect())
                .as("what is ahead of it may be a COMMIT")
                .isEqualTo(Effect.SEVERAL);
        run(FakeExchange.to("COMMIT").numbered(2).beganInTransaction(true));
        assertThat(lost(behind).effect())
                .as("sent ahead of the COMMIT's response")
                .isEqualTo(Effect.SEVERAL);
        run(FakeExchange.to("DELETE FROM t")
                .numbered(2)
                .beganInTransaction(true)
                .error(1213));
        assertThat(lost(behind).effect()).as("a deadlock rolls back").isEqualTo(Effect.SEVERAL);
        assertThat(lost(FakeExchange.to("DROP TABLE t").beganInTransaction(true))
                        .effect())
                .isEqualTo(Effect.SEVERAL);
    }

    @Test
    void aTextThatWasNotSeenWholeMayHoldSeveral() {
        assertThat(lost(FakeExchange.to(null)).effect()).isEqualTo(Effect.SEVERAL);
    }

    /** The first may have failed, and the one transaction be that of the next. */
    @Test
    void aStatementThatWasSentBehindItMayHaveCommittedToo() {
        FakeExchange first = FakeExchange.to("INSERT INTO t VALUES (1)").numbered(1);
        trail.onCommand(first);
        trail.onCommand(FakeExchange.to("INSERT INTO t VALUES (2)").numbered(2));

        assertThat(trail.lost(first, 0).effect()).isEqualTo(Effect.SEVERAL);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET sql_log_bin = 0",
                "SET gtid_seq_no = 100",
                "SELECT 1; SET sql_log_bin = 0",
                "BEGIN NOT ATOMIC SET sql_log_bin = 0; END",
                "EXECUTE IMMEDIATE 'SET sql_log_bin = 0'",
                "EXECUTE IMMEDIATE @q",
                "PREPARE s FROM @q"
            })
    void aSessionThatHidesFromTheLogIsNoted(String sql) {
        run(FakeExchange.to(sql));

        assertThat(lost(FakeExchange.to("COMMIT")).unlogged()).isTrue();
    }

    @Test
    void whatStandsInATextTooLongToReadIsNoted() {
        run(FakeExchange.to("INSERT INTO t VALUES (1)").gtid("0-1-1"));
        assertThat(lost(FakeExchange.to("COMMIT")).unlogged()).isFalse();

        session.put("capabilities", Capabilities.MULTI_STATEMENTS);
        run(FakeExchange.to(null));
        assertThat(lost(FakeExchange.to("COMMIT")).unlogged()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (HOST 'h')", "OPTIMIZE LOCAL TABLE t"})
    void whatNoLogNeedHaveIsNotJudgedByIt(String sql) {
        assertThat(lost(FakeExchange.to(sql)).unlogged()).isTrue();
        assertThat(lost(FakeExchange.to("DROP TABLE t")).unlogged()).isFalse();
    }

    @Test
    void aResponseWithoutRoomForAGtidMayBeOfACommit() {
        run(FakeExchange.to("INSERT INTO t VALUES (1)").affected(1).gtid("0-1-1"));
        run(FakeExchange.to("SELECT 1"));
        assertThat(lost(FakeExchange.to("COMMIT")).unreported()).isFalse();

        run(FakeExchange.to("SELECT f()"));
        assertThat(lost(FakeExchange.to("COMMIT")).unreported()).isTrue();

        run(FakeExchange.to("INSERT INTO t VALUES (1)").affected(1).gtid("0-1-3"));
        assertThat(lost(FakeExchange.to("COMMIT")).unreported()).isFalse();

        run(FakeExchange.to("INSERT INTO t VALUES (1), (2)").error(1062));
        assertThat(lost(FakeExchange.to("COMMIT")).unreported()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CALL p()",
                "SET STATEMENT max_statement_time = 5 FOR CALL p()",
                "BEGIN NOT ATOMIC CALL p(); SIGNAL SQLSTATE '45000'; END",
                "CREATE TABLE t (a INT)",
                "START TRANSACTION",
                "LOAD INDEX INTO CACHE mysql.user",
                "SET PASSWORD FOR u = 'x'",
                "SET DEFAULT ROLE r TO u",
            })
    void whatFailedMayHaveCommittedWhatWasOpen(String sql) {
        run(FakeExchange.to("INSERT INTO t VALUES (1)").affected(1).gtid("0-1-1"));
        run(FakeExchange.to("INSERT INTO t VALUES (2)").affected(1).inTrans());
        run(FakeExchange.to(sql).inTrans().beganInTransaction(true).error(1142));
        UnansweredStatement lost = lost(FakeExchange.to("COMMIT"));
        assertThat(List.of(lost.unreported(), lost.partCommitted())).containsExactly(true, true);

        run(FakeExchange.to("COMMIT").gtid("0-1-3"));
        assertThat(lost(FakeExchange.to("COMMIT")).unreported()).isFalse();
    }

    /** MariaDB 10.11 commits what is open, and then refuses it. */
    @Test
    void aRefusedRefreshHasCommittedWhatWasOpen() {
        run(FakeExchange.to("INSERT INTO t VALUES (2)").affected(1).inTrans());
        run(FakeExchange.to(null).as(CommandCode.PING).inTrans());
        assertThat(lost(FakeExchange.to("COMMIT")).partCommitted()).isFalse();
        run(FakeExchange.to(null)
                .as(CommandCode.REFRESH)
                .beganInTransaction(true)
                .error(1227));
        UnansweredStatement lost = lost(FakeExchange.to("COMMIT"));
        assertThat(List.of(lost.unreported(), lost.partCommitted())).containsExactly(true, true);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"INSERT INTO t VALUES (1)", "INSERT INTO nosuch VALUES (1)", "SET @a = b", "SELECT a FROM t"})
    void aPlainErrorInATransactionLeavesItsCommitKnown(String sql) {
        run(FakeExchange.to("SELECT 1").gtid("0-1-1"));
        run(FakeExchange.to("INSERT INTO t VALUES (2)").affected(1).inTrans());
        run(FakeExchange.to(sql).inTrans().beganInTransaction(true).error(1146));
        run(FakeExchange.to("SELECT 1").inTrans());
        UnansweredStatement lost = lost(FakeExchange.to("COMMIT"));
        assertThat(List.of(lost.unreported(), lost.partCommitted())).containsExactly(false, false);
    }

    @ParameterizedTest
    @ValueSource(strings = {"COMMIT AND CHAIN", "BEGIN", "CALL p()"})
    void withoutGtidsACommitWithinIsNotTold(String sql) {
        run(FakeExchange.to("BEGIN").inTrans());
        assertThat(lost(FakeExchange.to("COMMIT")).unreported()).isFalse();

        run(FakeExchange.to("INSERT INTO t VALUES (2)").affected(1).inTrans());
        run(FakeExchange.to(sql).inTrans());
        assertThat(lost(FakeExchange.to("COMMIT")).unreported()).isTrue();
    }

    @Test
    void aStatementInATransactionMayHaveCommittedAPartOfIt() {
        run(FakeExchange.to("INSERT INTO t VALUES (1)").affected(1).inTrans());
        assertThat(lost(FakeExchange.to("COMMIT")).partCommitted()).isFalse();
        run(FakeExchange.to("CALL p()").inTrans().error(1644));
        assertThat(lost(FakeExchange.to("COMMIT")).partCommitted()).isTrue();

        run(FakeExchange.to("COMMIT AND CHAIN").gtid("0-1-1").inTrans());
        run(FakeExchange.to("INSERT INTO t VALUES (2)").affected(1).inTrans());
        assertThat(lost(FakeExchange.to("COMMIT")).partCommitted()).isFalse();
        run(FakeExchange.to("BEGIN NOT ATOMIC CALL p(); END").gtid("0-1-2").inTrans());
        run(FakeExchange.to("SELECT 1").inTrans());
        assertThat(lost(FakeExchange.to("COMMIT")).partCommitted()).isTrue();

        assertThat(lost(FakeExchange.to("INSERT INTO t VALUES (3)").beganInTransaction(true))
                        .effect())
                .isEqualTo(Effect.SEVERAL);

        run(FakeExchange.to("ROLLBACK"));
        assertThat(lost(FakeExchange.to("COMMIT")).partCommitted()).isFalse();
    }

    @Test
    void aWriteWithSettingsOfItsOwnIsAWrite() {
        String write = "SET STATEMENT max_statement_time = 5 FOR INSERT INTO t VALUES (1)";
        run(FakeExchange.to("INSERT INTO t VALUES (1)").affected(1).gtid("0-1-1"));
        run(FakeExchange.to(write).error(1062));
        assertThat(lost(FakeExchange.to("COMMIT")).unreported()).isTrue();

        run(FakeExchange.to("SET SESSION session_track_gtids = OFF"));
        run(FakeExchange.to("INSERT INTO t VALUES (1)").affected(1).gtid("0-1-2"));
        run(FakeExchange.to(write).affected(1).inTrans());
        run(FakeExchange.to("COMMIT AND CHAIN").inTrans());
        assertThat(lost(FakeExchange.to("COMMIT")).unreported()).isTrue();
    }

    @Test
    void aFailedDropMayHaveDroppedAnother() {
        run(FakeExchange.to("INSERT INTO t VALUES (1)").affected(1).gtid("0-1-1"));
        run(FakeExchange.to("DROP TABLE t, missing").error(1051));
        UnansweredStatement lost = lost(FakeExchange.to("DROP TABLE u"));
        assertThat(List.of(lost.unreported(), lost.partCommitted())).containsExactly(true, false);
    }

    @Test
    void theNameOfItsTransactionGoesWithALostStatement() {
        assertThat(lost(FakeExchange.to("INSERT INTO t VALUES (1)").token("e")).token())
                .isEqualTo("e");
        assertThat(named.find(Outcomes.Filter.ANY)).isEmpty();
    }

    @Test
    void allGtidsAreNotTheSessionsOwn() {
        run(FakeExchange.to("SET SESSION session_track_gtids = ALL_GTIDS"));
        assertThat(trail.ownGtids()).isFalse();
        run(FakeExchange.to("INSERT INTO t VALUES (1)").affected(1).gtid("3e11fa47-71ca-11e1-9e33-c80aa9429562:1-90"));
        UnansweredStatement lost = lost(FakeExchange.to("COMMIT"));
        assertThat(List.of(lost.unreported(), lost.lastGtid() == null)).containsExactly(true, true);

        run(FakeExchange.to("SET SESSION session_track_gtids = OWN_GTID"));
        assertThat(trail.ownGtids()).isTrue();
    }
}
