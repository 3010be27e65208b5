package io.understudy.plugins.blackbox.outcome;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.Outcome;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.plugins.blackbox.outcome.Judge.Judgement;
import io.understudy.plugins.blackbox.outcome.UnansweredStatement.Effect;
import io.understudy.servers.GtidNumbers;
import io.understudy.servers.ReplicaStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JudgeTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long THREAD = 57;
    private static final long OPENED = 1_000 * SECOND;
    private static final long SENT = 1_100 * SECOND;
    private static final ServerIdentity A = new ServerIdentity(ServerFlavor.MARIADB, 11, "");
    private static final String UUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
    private static final ServerIdentity MYSQL = new ServerIdentity(ServerFlavor.MYSQL, 11, UUID);

    private long now = 900 * SECOND;
    private final Traces traces = new Traces(() -> now);
    private final Judge judge = new Judge(traces);

    private long alive = OPENED;
    private @Nullable String lastGtid;
    private boolean partCommitted;
    private boolean unreported;
    private boolean unlogged;
    private Effect effect = Effect.COMMIT;
    private @Nullable String token;
    private boolean logBin = true;

    private boolean readOnly;
    private Set<Long> threads = Set.of(1L);
    private @Nullable List<ReplicaStatus> channels = List.of();
    private String kind = "commit";
    private @Nullable String filter;
    private long began = 500 * SECOND;
    /** Last number that replication brought to a new primary. */
    private long replicated = 100;

    @BeforeEach
    void read() {
        traces.started(facts(11, "0-11-100"));
        traces.format(format(5));
        now = SENT + SECOND;
    }

    private static byte[] format(int created) {
        byte[] event = new byte[100];
        event[19 + 52] = (byte) created;
        return event;
    }

    private PrimaryFacts facts(long server, String position) {
        return new PrimaryFacts(ServerFlavor.MARIADB, server, "", logBin, "MIXED", true, position);
    }

    private void commit(long number, long thread) {
        commit(number, thread, TransactionKind.WRITE, null);
    }

    private void commit(long number, long thread, TransactionKind kind, @Nullable String named) {
        traces.passed(transaction(number, thread, kind), named);
    }

    private BinlogTransaction transaction(long number, long thread, TransactionKind kind) {
        return new BinlogTransaction(
                "0-11-" + number, kind, 0, 11, number, -1, 100, now, true, Set.of(), false, false, null, 0, thread);
    }

    private UnansweredStatement lost() {
        return new UnansweredStatement(
                1,
                2,
                Instant.EPOCH,
                SENT,
                OPENED,
                alive,
                THREAD,
                "app",
                kind,
                0,
                effect,
                token,
                lastGtid,
                unreported,
                partCommitted,
                unlogged,
                0);
    }

    private PrimaryLook look(long server, String position) {
        GtidNumbers has = new GtidNumbers();
        for (String each : position.isEmpty() ? new String[0] : position.split(",")) {
            int dash = each.lastIndexOf('-');
            has.add(each.substring(0, dash), 1, Long.parseLong(each.substring(dash + 1)));
        }
        return new PrimaryLook(
                readOnly,
                began - SECOND,
                began + SECOND,
                channels,
                threads,
                filter,
                facts(server, position),
                has,
                Map.of(0L, replicated));
    }

    private Judgement judged(long server, String position) {
        return judge.of(lost(), A, look(server, position));
    }

    private void committed(Judgement judgement, String gtid) {
        assertThat(judgement.outcome()).isEqualTo(new Outcome.Committed(gtid));
        assertThat(judgement.settled()).isTrue();
    }

    private void open(Judgement judgement, String reason) {
        assertThat(judgement.outcome())
                .isInstanceOfSatisfying(
                        Outcome.Unknown.class,
                        unknown -> assertThat(unknown.reason()).contains(reason));
        assertThat(judgement.settled()).isFalse();
    }

    private void unknown(Judgement judgement, String reason) {
        assertThat(judgement.outcome())
                .isInstanceOfSatisfying(
                        Outcome.Unknown.class,
                        unknown -> assertThat(unknown.reason()).contains(reason));
        assertThat(judgement.settled()).isTrue();
    }

    private void notCommitted(Judgement judgement) {
        assertThat(judgement.outcome()).isEqualTo(new Outcome.NotCommitted());
    }

    @Test
    void theOneTransactionOfTheThreadIsIt() {
        commit(101, 58);
        commit(102, THREAD);

        committed(judged(11, "0-11-102"), "0-11-102");
    }

    @Test
    void withoutOneItIsNotCommitted() {
        commit(101, 58);

        notCommitted(judged(11, "0-11-101"));
    }

    @Test
    void whatTheClientWasToldOfIsNotIt() {
        commit(101, THREAD);
        traces.answered("0-11-101", false);
        traces.answered("0-11-102", false);
        commit(102, THREAD);

        notCommitted(judged(11, "0-11-102"));
    }

    @Test
    void whatArrivedBeforeItWasSentIsNotIt() {
        now = SENT - SECOND;
        commit(101, THREAD);

        notCommitted(judged(11, "0-11-101"));
    }

    /** The client would repeat all of it. */
    @Test
    void aTransactionOfWhichAPartMayBeCommittedIsNotToBeRepeated() {
        partCommitted = true;
        unknown(judged(11, "0-11-100"), "may have committed a part");
    }

    @Test
    void anOkWithoutItsGtidMayHaveBeenOfTheTransaction() {
        commit(101, THREAD);
        unreported = true;
        unknown(judged(11, "0-11-101"), "0-11-101");

        unreported = false;
        traces.answered("0-11-101", true);
        unknown(judged(11, "0-11-101"), "0-11-101");
    }

    @Test
    void anOkThatWasForgottenMayHaveBeenOfTheTransaction() {
        commit(101, THREAD);
        traces.forgetAnswer();

        unknown(judged(11, "0-11-101"), "0-11-101");
    }

    /** A gap is filled by reading again what was answered so long ago that it is forgotten. */
    @Test
    void whatIsEarlierThanTheLastOkIsNotIt() {
        commit(101, THREAD);
        lastGtid = "0-11-105";

        notCommitted(judged(11, "0-11-101"));
    }

    /** Of a CALL that committed twice the second was told; the log brings the first late. */
    @Test
    void whatTheLogHasBeforeWhatTheClientWasToldIsNotIt() {
        lastGtid = "0-11-102";
        commit(101, THREAD);
        traces.answered("0-11-102", false);
        commit(102, THREAD);
        notCommitted(judged(11, "0-11-102"));
    }

    @Test
    void severalAreNotTold() {
        commit(101, THREAD);
        commit(102, THREAD);
        unknown(judged(11, "0-11-102"), "0-11-101, 0-11-102");
    }

    @Test
    void aPartOfACallIsNotTheWhole() {
        effect = Effect.SEVERAL;
        notCommitted(judged(11, "0-11-100"));

        commit(101, THREAD);
        unknown(judged(11, "0-11-101"), "0-11-101");
    }

    @Test
    void aTransactionOfAnotherKindIsNotIt() {
        commit(101, THREAD, TransactionKind.SCHEMA, null);
        unknown(judged(11, "0-11-101"), "0-11-101");
    }

    @Test
    void aConnectionThatStillExistsMayStillCommit() {
        threads = Set.of(THREAD);
        open(judged(11, "0-11-100"), "still exists");

        commit(101, THREAD);
        open(judged(11, "0-11-101"), "still exists");
    }

    @Test
    void withoutThePrivilegeItSaysWhatToGrant() {
        PrimaryLook blind =
                new PrimaryLook(false, 0, 0, List.of(), null, null, facts(11, "0-11-100"), new GtidNumbers(), Map.of());

        open(judge.of(lost(), A, blind), "GRANT PROCESS");
    }

    @Test
    void whatIsNotReadComesFirst() {
        Judgement judgement = judged(11, "0-11-104");

        assertThat(judgement.unread()).hasToString("0-11:101-104");
        open(judgement, "not read");
    }

    @Test
    void aStreamThatBeginsLaterLeavesAGap() {
        traces.started(facts(11, "0-11-150"));

        assertThat(judged(11, "0-11-150").unread()).hasToString("0-11:101-150");

        traces.filled(judged(11, "0-11-150").unread());
        notCommitted(judged(11, "0-11-150"));
    }

    @Test
    void aLogThatWasRestoredReachesBackUnlessTheStreamBeginsElsewhere() {
        Traces restored = new Traces(() -> now);
        restored.restoredUpTo(facts(11, "0-11-90"), "0-11-100", SENT - SECOND);
        restored.started(facts(11, "0-11-100"));
        assertThat(restored.wholeSince(THREAD)).isEqualTo(SENT - SECOND);

        restored.started(facts(11, "0-11-150"));
        assertThat(restored.wholeSince(THREAD)).isEqualTo(now);
    }

    /** Its connections have numbers of their own. */
    @Test
    void aLogThatWasRestoredOfAnotherServerTellsNothingOfThisOne() {
        Traces restored = new Traces(() -> now);
        restored.restoredUpTo(facts(12, "0-11-90"), "0-11-100", SENT - SECOND);
        restored.started(facts(11, "0-11-100"));
        assertThat(restored.wholeSince(THREAD)).isEqualTo(now);
    }

    @Test
    void whatWasAnsweredToOthersAndForgottenIsNoLackOfAConnection() {
        traces.filled(judged(11, "0-11-100").unread());
        Long before = traces.wholeSince(THREAD);
        for (int number = 101; number <= 101 + Traces.MOST_ANSWERED; number++) {
            commit(number, 58);
            traces.answered("0-11-" + number, false);
        }
        assertThat(traces.wholeSince(THREAD)).isEqualTo(before);
        assertThat(traces.wholeSince(58)).isEqualTo(now);
    }

    @Test
    void aServerThatWasRestartedHasNoSuchConnectionAnyMore() {
        commit(101, THREAD);
        began = SENT + 10 * SECOND;
        threads = Set.of(THREAD);
        now = SENT + 12 * SECOND;
        traces.format(format(6));

        committed(judged(11, "0-11-101"), "0-11-101");
    }

    @Test
    void theSameNumberAfterARestartIsAnotherConnection() {
        began = SENT + 10 * SECOND;
        now = SENT + 12 * SECOND;
        traces.format(format(6));
        commit(101, THREAD);

        open(judged(11, "0-11-101"), "restarted");
    }

    @Test
    void twoRestartsLeaveItOpenWhoseItWas() {
        now = SENT + 5 * SECOND;
        traces.format(format(6));
        commit(101, THREAD);
        began = SENT + 10 * SECOND;
        traces.format(format(7));

        unknown(judged(11, "0-11-101"), "restarted");
    }

    @Test
    void aRestartThatTheLogDoesNotShowLeavesItOpen() {
        traces.started(facts(11, "0-11-100"));
        commit(101, THREAD);
        began = SENT + 10 * SECOND;

        open(judged(11, "0-11-101"), "restarted");
    }

    @Test
    void aStreamThatIsOlderThanTheSessionHasNoOtherConnectionOfThatNumber() {
        commit(101, THREAD);
        began = SENT + 10 * SECOND;
        traces.started(facts(11, "0-11-101"));
        open(judged(11, "0-11-101"), "restarted"); // the stream may have been behind

        lastGtid = "0-11-100";
        committed(judged(11, "0-11-101"), "0-11-101");
    }

    @Test
    void aSessionThatCommittedAfterTheStreamBeganIsOlderThanNoRestart() {
        now = SENT - 10 * SECOND;
        traces.started(facts(11, "0-11-100"));
        now = SENT + SECOND;
        lastGtid = "0-11-100";
        commit(101, THREAD);
        began = SENT + 10 * SECOND;
        open(judged(11, "0-11-101"), "restarted");

        alive = SENT - 5 * SECOND;
        committed(judged(11, "0-11-101"), "0-11-101");
    }

    @Test
    void whatIsReadAgainAfterACutIsOfTheSessionThatCommittedBefore() {
        traces.read(transaction(101, THREAD, TransactionKind.WRITE), null);
        unknown(judged(11, "0-11-101"), "restarted");

        lastGtid = "0-11-100";
        committed(judged(11, "0-11-101"), "0-11-101");

        began = OPENED + SECOND;
        unknown(judged(11, "0-11-101"), "restarted");
    }

    @Test
    void aNewPrimaryThatHasItDecides() {
        commit(101, THREAD);
        threads = Set.of(THREAD); // another one's

        committed(judged(12, "0-11-101,0-12-102"), "0-11-101");
    }

    @Test
    void aNewPrimaryThatLacksItMayStillGetIt() {
        commit(101, THREAD);

        open(judged(12, "0-11-100,0-12-101"), "rescue");
        committed(judged(12, "0-11-101,0-12-102"), "0-11-101");
    }

    @Test
    void aNewPrimaryThatStillAppliesMayStillGetIt() {
        channels = null;
        open(judged(12, "0-11-100"), "GRANT SLAVE MONITOR");

        channels = List.of(new ReplicaStatus(Map.of("slave_sql_running", "Yes", "master_host", "a")));
        open(judged(12, "0-11-100"), "still applies");

        channels = List.of(new ReplicaStatus(Map.of("slave_sql_running", "No", "gtid_io_pos", "0-11-101")));
        open(judged(12, "0-11-100"), "not applied");

        channels = List.of(new ReplicaStatus(Map.of("slave_sql_running", "No", "gtid_io_pos", "0-11-100")));
        notCommitted(judged(12, "0-11-100"));
    }

    @Test
    void aReadOnlyPrimaryDecidesNothing() {
        readOnly = true;
        open(judged(11, "0-11-100"), "read-only");
    }

    @Test
    void aSessionThatMayWriteWithoutTheLogIsUnknown() {
        unlogged = true;
        unknown(judged(11, "0-11-100"), "sql_log_bin");
    }

    @Test
    void aSchemaChangeMayBeCompletedByTheRestart() {
        effect = Effect.SCHEMA;
        kind = "ddl";
        notCommitted(judged(11, "0-11-100"));

        began = SENT + SECOND;
        unknown(judged(11, "0-11-100"), "started again");
        effect = Effect.SEVERAL; // DROP TABLE t, u
        unknown(judged(11, "0-11-100"), "started again");
    }

    @Test
    void aLogThatLacksDatabasesProvesNothing() {
        filter = "binlog-ignore-db";
        open(judged(11, "0-11-100"), "binlog-ignore-db");
        notCommitted(judged(12, "0-11-100"));

        commit(101, THREAD);
        committed(judged(11, "0-11-101"), "0-11-101");
    }

    @Test
    void numbersThatBeganAnewProveNothing() {
        traces.anew();
        traces.started(facts(11, "0-11-1"));

        assertThat(judged(11, "0-11-1").outcome()).isInstanceOf(Outcome.Unknown.class);
    }

    @Test
    void tooManyOfOthersLeaveItOpen() {
        for (int i = 0; i <= Traces.MOST_UNANSWERED; i++) {
            commit(101 + i, 58);
        }
        unknown(judged(11, "0-11-" + (101 + Traces.MOST_UNANSWERED)), "too many");
    }

    @Test
    void rowsWithoutAThreadAreKnownByTheNameOfTheirTransaction() {
        commit(101, 0, TransactionKind.WRITE, "order-1");
        open(judged(11, "0-11-101"), "0-11-101, which may be it"); // a trigger has texts of its own

        token = "order-2";
        open(judged(11, "0-11-101"), "0-11-101");
        commit(102, 0, TransactionKind.WRITE, "order-2");
        committed(judged(11, "0-11-102"), "0-11-102");
        open(judged(12, "0-11-101,0-12-102"), "rescue");

        unreported = true;
        open(judged(11, "0-11-102"), "may be it");
        unreported = false;
        commit(103, 0, TransactionKind.WRITE, "order-2");
        open(judged(11, "0-11-103"), "may be it");
    }

    @Test
    void whatWasAnsweredIsNotIt() {
        commit(101, 0, TransactionKind.WRITE, null);
        open(judged(11, "0-11-101"), "0-11-101");
        traces.answered("0-11-101", false);
        notCommitted(judged(11, "0-11-101"));
    }

    @Test
    void withoutABinaryLogNothingIsKnown() {
        logBin = false;
        open(judged(11, ""), "set log_bin");
        open(judged(12, "0-11-100"), "set log_bin");
    }

    /** A reason is for a person, and is sent to the client. */
    @Test
    void ofAThousandTransactionsSomeAreNamed() {
        effect = Effect.SEVERAL;
        for (int i = 1; i <= 1_000; i++) {
            commit(100 + i, THREAD);
        }
        unknown(judged(11, "0-11-1100"), "0-11-101, 0-11-102, 0-11-103 and 997 more:");
    }

    /** In front of rows MySQL's replica names the thread of its applier. */
    @Test
    void aReplicaOfMySqlDoesNotTellTheThread() {
        now = 900 * SECOND;
        traces.started(mySql(11, UUID, 5));
        now = SENT + SECOND;
        PrimaryFacts there = mySql(12, "4" + UUID.substring(1), 6);
        traces.started(mySql(12, "4" + UUID.substring(1), 5));
        commitOnMySql(6);
        PrimaryLook look = new PrimaryLook(
                false, 0, 0, List.of(), Set.of(), null, there, GtidNumbers.ofMySql(there.position()), Map.of());

        open(judge.of(lost(), MYSQL, look), UUID + ":6, which may be it");
    }

    /**
     * Another proxy's black box had it, and failover has applied it: with its GTID, and as a session of the new one.
     */
    @Test
    void aReplayOnMySqlDoesNotTellTheThread() {
        String other = "4" + UUID.substring(1);
        now = 900 * SECOND;
        traces.started(mySql(11, UUID, 5));
        now = SENT + SECOND;
        PrimaryFacts there = mySql(12, other, 7);
        traces.started(mySql(12, other, 6));
        traces.read(transactionOfMySql(6, 12, 99), null);
        traces.filled(GtidNumbers.ofMySql(UUID + ":6"));
        traces.passed(transactionOfMySql(7, 12, THREAD), null); // by hand, when it was the primary already
        PrimaryLook look = new PrimaryLook(
                false, 0, 0, List.of(), Set.of(), null, there, GtidNumbers.ofMySql(there.position()), Map.of());

        open(judge.of(lost(), MYSQL, look), UUID + ":6, " + UUID + ":7, which may be it");
    }

    /** What a session replays has the replaying session's thread, or that of any transaction of the file. */
    @Test
    void aReplayOnMariaDbDoesNotTellTheThread() {
        traces.read(transaction(101, 58, TransactionKind.WRITE), null);
        open(judged(12, "0-11-101,0-12-102"), "0-11-101, which may be it");

        traces.read(transaction(102, THREAD, TransactionKind.WRITE), null);
        open(judged(12, "0-11-102,0-12-103"), "0-11-101, 0-11-102, which may be it");
        replicated = 102; // it is a standby's meanwhile
        open(judged(12, "0-11-102,0-12-103"), "0-11-101, 0-11-102, which may be it");
    }

    @Test
    void replicationOfMariaDbTellsTheThread() {
        replicated = 101;
        traces.read(transaction(101, 58, TransactionKind.WRITE), null);
        notCommitted(judged(12, "0-11-101,0-12-102"));

        replicated = 103;
        traces.read(transaction(103, THREAD, TransactionKind.WRITE), null);
        committed(judged(12, "0-11-103,0-12-104"), "0-11-103");
    }

    private static PrimaryFacts mySql(long server, String uuid, int last) {
        return new PrimaryFacts(ServerFlavor.MYSQL, server, uuid, true, "ROW", true, UUID + ":1-" + last);
    }

    private void commitOnMySql(long number) {
        traces.passed(transactionOfMySql(number), null);
    }

    private BinlogTransaction transactionOfMySql(long number) {
        return transactionOfMySql(number, 11, THREAD);
    }

    private BinlogTransaction transactionOfMySql(long number, long server, long thread) {
        return new BinlogTransaction(
                UUID + ":" + number,
                TransactionKind.WRITE,
                0,
                server,
                number,
                -1,
                100,
                now,
                true,
                Set.of(),
                false,
                false,
                null,
                0,
                thread);
    }

    private Judgement judgedOnMySql(int last) {
        PrimaryFacts facts = mySql(11, UUID, last);
        PrimaryLook look = new PrimaryLook(
                false,
                began - SECOND,
                began + SECOND,
                List.of(),
                Set.of(),
                null,
                facts,
                GtidNumbers.ofMySql(facts.position()),
                Map.of());
        return judge.of(lost(), MYSQL, look);
    }

    /** The stream notices a restart later than sessions do. */
    @Test
    void onMySqlTheSessionsLastTransactionTellsItsRun() {
        now = 900 * SECOND;
        traces.started(mySql(11, UUID, 5));
        traces.format(format(5));
        now = OPENED + SECOND;
        traces.started(mySql(11, UUID, 5));
        traces.format(format(6));
        commitOnMySql(6);
        traces.answered(UUID + ":6", false);
        now = SENT + SECOND;
        commitOnMySql(7);
        began = SENT + 10 * SECOND;
        now = SENT + 12 * SECOND;
        traces.started(mySql(11, UUID, 7));
        traces.format(format(7));

        unknown(judgedOnMySql(7), "the same number");
        lastGtid = UUID + ":6";
        committed(judgedOnMySql(7), UUID + ":7");
    }

    @Test
    void onMySqlTheSameNumberInALaterRunIsAnotherConnection() {
        now = OPENED + SECOND;
        traces.started(mySql(11, UUID, 5));
        traces.format(format(6));
        commitOnMySql(6);
        traces.answered(UUID + ":6", false);
        lastGtid = UUID + ":6";
        now = SENT + 12 * SECOND;
        began = SENT + 10 * SECOND;
        traces.started(mySql(12, "4" + UUID.substring(1), 6));
        traces.started(mySql(11, UUID, 6)); // begins within a log: it does not tell the run
        commitOnMySql(7);

        assertThat(judgedOnMySql(7).outcome()).isInstanceOf(Outcome.Unknown.class);
    }

    /** What was read apart, as the stream was away for long, has no thread; the stream brings it again. */
    @Test
    void onMySqlTheStreamTellsTheThreadOfWhatWasReadBefore() {
        now = 900 * SECOND;
        traces.started(mySql(11, UUID, 5));
        traces.format(format(5));
        now = SENT + SECOND;
        alive = SENT;
        traces.read(transactionOfMySql(6), null);
        open(judgedOnMySql(6), UUID + ":6, which may be it");

        traces.started(mySql(11, UUID, 5));
        commitOnMySql(6);
        committed(judgedOnMySql(6), UUID + ":6");
    }

    /** Group Replication, or a SET of gtid_next, gives another source. */
    @Test
    void aSourceThatIsNotTheServersOwnIsReadFirst() {
        GtidNumbers there = GtidNumbers.ofMySql("5" + UUID.substring(1) + ":1-6");
        traces.anew();

        assertThat(traces.unread(MYSQL, MYSQL, there, SENT).count()).isEqualTo(6);
        traces.filled(there);
        assertThat(traces.unread(MYSQL, MYSQL, there, SENT).isEmpty()).isTrue();
    }
}
