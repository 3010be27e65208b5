package io.understudy.session;

import static io.understudy.testkit.Bytes.command;
import static io.understudy.testkit.Bytes.concat;
import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.packet;
import static io.understudy.testkit.Bytes.slice;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.understudy.command.SessionModel;
import io.understudy.handshake.LoginResult;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.Interest;
import io.understudy.plugin.Outcome;
import io.understudy.plugin.Outcome.Committed;
import io.understudy.plugin.Outcome.NotCommitted;
import io.understudy.plugin.Outcome.Unknown;
import io.understudy.plugin.SessionObserver;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.sql.TableName;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The server is lost with a statement in flight, and a plugin knows what became of it. */
@ExtendWith(LeakCheck.class)
class LostStatementTest {
    private static final int AC = ServerStatus.AUTOCOMMIT;
    private static final int TRX = AC | ServerStatus.IN_TRANS;
    private static final byte[] OK = packet(1, ok(0, AC));
    private static final long MARIADB = Scripted.CLASSIC & ~Capabilities.LONG_PASSWORD;
    private static final Committed COMMITTED = new Committed("0-1-42");

    /** Knows what became of it, sooner or later. */
    private static class Knowing extends Watcher {
        final CompletableFuture<Outcome> found = new CompletableFuture<>();
        final List<Long> asked = new ArrayList<>();
        final List<Duration> patience = new ArrayList<>();
        final List<Outcome> outcomes = new ArrayList<>();
        final List<Boolean> told = new ArrayList<>();
        int moves;

        Knowing() {
            super(ALL);
        }

        @Override
        public @Nullable CompletionStage<Outcome> outcomeOf(CommandView command, Duration most) {
            asked.add(command.number());
            patience.add(most);
            return found;
        }

        @Override
        public void onOutcomeTold(CommandView command, Outcome outcome, boolean wasTold) {
            outcomes.add(outcome);
            told.add(wasTold);
        }

        @Override
        public void onMoved() {
            moves++;
        }
    }

    /** Moves at once. */
    private static final class AtOnce implements SessionMover {
        @Override
        public void loggedIn(LoginResult login) {
            login.proof().wipe();
        }

        @Override
        public void move(
                SessionModel model,
                Set<String> ownVariables,
                List<TableName> readAgain,
                boolean serverGone,
                Result result) {
            assertThat(serverGone).isTrue();
            assertThat(model.inTransaction()).isFalse();
            Destination next = new Destination() {
                @Override
                public String name() {
                    return "the next";
                }

                @Override
                public boolean isPrimary() {
                    return true;
                }

                @Override
                public boolean isAbandoned() {
                    return false;
                }

                @Override
                public void loggedIn() {}

                @Override
                public void silent() {}
            };
            result.moved(next, () -> {}, 99);
        }

        @Override
        public Runnable later(Runnable task, long millis) {
            return () -> {};
        }

        @Override
        public void ended() {}
    }

    private final Knowing observer = new Knowing();
    private final EmbeddedChannel clock = new EmbeddedChannel();
    private Scripted scripted = new Scripted(Memory.direct(), observer);
    private boolean absent;

    private Scripted logIn(long capabilities, boolean moves) {
        follow();
        scripted.environment.setMoves(moves);
        scripted.session.movedBy(new AtOnce());
        return scripted.loggedIn(capabilities);
    }

    private void follow() {
        AbsentPrimary waits = scripted.environment.absentPrimary();
        waits.follow(
                new AbsentPrimary.Signs() {
                    @Override
                    public boolean absent() {
                        return absent;
                    }

                    @Override
                    public boolean usable() {
                        return !absent;
                    }

                    @Override
                    public long lastSignNanos() {
                        return System.nanoTime();
                    }

                    @Override
                    public void suspect() {}
                },
                clock.eventLoop(),
                List::of);
        waits.allow(Duration.ofMinutes(10));
    }

    @AfterEach
    void finish() {
        scripted.finish();
        clock.close();
    }

    private void tick() {
        clock.advanceTimeBy(1, TimeUnit.SECONDS);
        clock.runScheduledPendingTasks();
    }

    /** The primary is found missing, and comes back. */
    private void outage() {
        absent = true;
        scripted.environment.absentPrimary().probed();
        absent = false;
        scripted.environment.absentPrimary().probed();
    }

    private static byte[] query(String sql) {
        return command(CommandCode.QUERY, sql);
    }

    /** Sends a statement, and loses the server. */
    private void lose(String sql) {
        scripted.client(query(sql));
        scripted.session.serverClosed();
    }

    private void begin() {
        scripted.client(query("BEGIN"));
        scripted.server(packet(1, ok(0, TRX)));
        scripted.client.take();
    }

    private String error(int sequence) {
        byte[] all = scripted.client.take();
        assertThat(all.length).as("bytes of an error").isGreaterThan(9);
        assertThat(all[3]).isEqualTo((byte) sequence);
        assertThat(all[4] & 0xFF).isEqualTo(0xFF);
        int code = all[5] & 0xFF | (all[6] & 0xFF) << 8;
        return code + " " + new String(all, 7, all.length - 7, StandardCharsets.UTF_8);
    }

    private double held(String outcome) {
        return scripted.meters
                .get("understudy.failover.held")
                .tags("what", "outcome", "outcome", outcome)
                .counter()
                .count();
    }

    @Test
    void aCommittedCommitIsAnsweredLikeByTheServer() {
        logIn(Scripted.CLASSIC, true);
        begin();
        lose("COMMIT");
        assertThat(scripted.client.take()).isEmpty();
        assertThat(observer.patience).allMatch(most -> most.compareTo(Duration.ofMinutes(9)) > 0);
        observer.found.complete(COMMITTED);

        assertThat(scripted.client.take()).isEqualTo(OK);
        assertThat(observer.asked).containsExactly(2L);
        assertThat(observer.outcomes).containsExactly(COMMITTED);
        assertThat(observer.told).containsExactly(true);
        assertThat(observer.gtids).containsExactly(null, "0-1-42");
        assertThat(observer.responses.get(1).error()).isZero();
        assertThat(held("went_on")).isEqualTo(1);

        scripted.client(query("SELECT 1"));
        outage();
        tick();
        assertThat(observer.moves).isEqualTo(1);
        scripted.server.take();
        scripted.server(OK);
        assertThat(scripted.client.take()).as("what was sent meanwhile").isEqualTo(OK);
    }

    @ParameterizedTest
    @ValueSource(strings = {"commit", "COMMIT;", " Commit Work ", "/* understudy:txn=a */ COMMIT", "COMMIT -- why"})
    void commitsWithoutMoreGetAnOk(String sql) {
        logIn(MARIADB, false);
        begin();
        lose(sql);
        observer.found.complete(COMMITTED);
        assertThat(scripted.client.take()).isEqualTo(OK);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "COMMIT AND CHAIN",
                "COMMIT RELEASE",
                "COMMIT WORK AND CHAIN NO RELEASE",
                "COMMIT /*! AND CHAIN */",
                "COMMIT /*M!100100 AND CHAIN */",
                "COMMIT; SELECT 1",
                "SET autocommit = 1",
                "START TRANSACTION"
            })
    void otherEndsOfATransactionGetTheErrorThatTheyWereCommitted(String sql) {
        logIn(MARIADB, false);
        begin();
        lose(sql);
        observer.found.complete(COMMITTED);
        assertThat(error(1)).startsWith("1105 #08007").contains("was committed as 0-1-42", "do not repeat");
        assertThat(scripted.closed("server_closed")).isEqualTo(1);
    }

    @Test
    void aSessionWithoutAutocommitKeepsItSo() {
        follow();
        scripted.loggedIn(Scripted.CLASSIC, ServerStatus.NO_BACKSLASH_ESCAPES);
        scripted.client(query("INSERT INTO t VALUES (1)"));
        scripted.server(packet(1, ok(1, ServerStatus.IN_TRANS | ServerStatus.NO_BACKSLASH_ESCAPES)));
        scripted.client.take();
        lose("COMMIT");
        observer.found.complete(COMMITTED);
        assertThat(scripted.client.take()).isEqualTo(packet(1, ok(0, ServerStatus.NO_BACKSLASH_ESCAPES)));
    }

    @Test
    void whatWasNotCommittedCanBeRepeated() {
        logIn(Scripted.CLASSIC, true);
        begin();
        lose("COMMIT");
        observer.found.complete(new NotCommitted());
        assertThat(error(1)).startsWith("1213 #40001").contains("transaction was not committed", "can be repeated");
        assertThat(observer.responses.get(1).error()).isEqualTo(1213);
        outage();
        tick();
        assertThat(observer.moves).isEqualTo(1);
        assertThat(scripted.model().inTransaction()).isFalse();
        assertThat(scripted.model().serverThreadId()).isEqualTo(99);
    }

    @Test
    void aStatementOfATransactionIsLostWithIt() {
        logIn(Scripted.CLASSIC, true);
        begin();
        lose("SELECT a FROM t FOR UPDATE");
        observer.found.complete(new NotCommitted());
        assertThat(error(1)).startsWith("1213 #40001").contains("transaction was not committed");
        outage();
        tick();
        assertThat(observer.moves).isEqualTo(1);
    }

    @Test
    void aRollbackThatHadNoResponseHasRolledBack() {
        logIn(Scripted.CLASSIC, false);
        begin();
        lose("ROLLBACK");
        observer.found.complete(new NotCommitted());
        assertThat(scripted.client.take()).isEqualTo(OK);
    }

    @Test
    void aStatementSentAheadOfTheCommitsResponseIsAlone() {
        logIn(Scripted.CLASSIC, false);
        begin();
        scripted.client(concat(query("COMMIT"), query("INSERT INTO t VALUES (1)")));
        scripted.server(OK);
        scripted.client.take();
        scripted.session.serverClosed();
        observer.found.complete(new NotCommitted());
        assertThat(error(1)).startsWith("1213 #40001").contains("the statement was not committed");
    }

    /** A prepared one cannot be prepared again, nor may its statements be repeated. */
    @ParameterizedTest
    @CsvSource({
        "XA COMMIT 'x', transaction was not committed",
        "XA ROLLBACK 'x', statement was not executed",
        "XA PREPARE 'x', statement was not executed"
    })
    void aBranchOfXaIsNotSaidToBeRolledBack(String sql, String what) {
        logIn(Scripted.CLASSIC, false);
        begin();
        lose(sql);
        observer.found.complete(new NotCommitted());
        assertThat(error(1))
                .startsWith("1105 #08007")
                .contains(what, "XA RECOVER shows whether it is prepared")
                .doesNotContain("repeated");
    }

    @ParameterizedTest
    @ValueSource(strings = {"XA ROLLBACK 'x'", "XA PREPARE 'x'"})
    void whatCommitsNoBranchIsNotSaidToHaveCommittedOne(String sql) {
        logIn(Scripted.CLASSIC, false);
        begin();
        lose(sql);
        observer.found.complete(COMMITTED);
        assertThat(error(1)).contains("the statement was executed as 0-1-42").doesNotContain("committed");
    }

    @Test
    void whetherABranchWasPreparedIsNotKnown() {
        logIn(Scripted.CLASSIC, false);
        begin();
        lose("XA PREPARE 'x'");
        observer.found.complete(new Unknown("why"));
        assertThat(error(1)).contains("it is not known whether the statement was executed: why");
    }

    @Test
    void anXaCommitIsAnsweredLikeACommit() {
        logIn(Scripted.CLASSIC, false);
        lose("XA COMMIT 'x'");
        observer.found.complete(COMMITTED);
        assertThat(scripted.client.take()).isEqualTo(OK);
    }

    @Test
    void whatIsNotKnownSaysSo() {
        logIn(Scripted.CLASSIC, false);
        begin();
        lose("COMMIT");
        observer.found.complete(new Unknown("the new primary lacks it"));
        assertThat(error(1))
                .startsWith("1105 #08007")
                .contains("it is not known whether the transaction was committed: the new primary lacks it")
                .contains("understudy report outcomes -c FILE --connection 4711");
    }

    @ParameterizedTest
    @ValueSource(strings = {"INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (1); DELETE FROM t", "CALL p()"})
    void affectedRowsAreNotKnown(String sql) {
        logIn(Scripted.CLASSIC, false);
        lose(sql);
        observer.found.complete(COMMITTED);
        assertThat(error(1)).startsWith("1105 #08007").contains("statement was committed as 0-1-42", "unknown");
    }

    @Test
    void aPreparedCommitIsAnsweredToo() {
        logIn(Scripted.CLASSIC, false);
        begin();
        scripted.client(command(CommandCode.STMT_PREPARE, "COMMIT"));
        scripted.server(packet(1, Bytes.of(0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)));
        scripted.client.take();
        scripted.client(command(CommandCode.STMT_EXECUTE, concat(Bytes.int4(7), Bytes.of(0), Bytes.int4(1))));
        scripted.session.serverClosed();
        observer.found.complete(COMMITTED);
        assertThat(scripted.client.take()).isEqualTo(OK);
    }

    @Test
    void withoutHoldThePluginIsToldAllTheSame() {
        logIn(Scripted.CLASSIC, true);
        scripted.environment.absentPrimary().allow(Duration.ZERO);
        begin();
        lose("COMMIT");
        assertThat(scripted.client.take()).isEmpty();
        assertThat(scripted.closed("server_closed")).isEqualTo(1);
        assertThat(observer.patience).containsExactly(Duration.ZERO);
        assertThat(observer.outcomes).isEmpty();
        observer.found.complete(COMMITTED);
        assertThat(scripted.client.take()).isEmpty();
    }

    @Test
    void aClientThatLeavesWithItInFlightCanAskLater() {
        logIn(Scripted.CLASSIC, true);
        begin();
        scripted.client(query("COMMIT"));
        scripted.session.clientClosed(false);
        assertThat(observer.patience).containsExactly(Duration.ZERO);
        assertThat(observer.outcomes).isEmpty();
    }

    @Test
    void aClientThatLeavesWhileItWaitsIsNotTold() {
        logIn(Scripted.CLASSIC, true);
        begin();
        lose("COMMIT");
        scripted.session.clientClosed(false);
        assertThat(observer.told).containsExactly(false);
        assertThat(observer.closings).containsExactly("client_closed");
        assertThat(held("left")).isEqualTo(1);
        observer.found.complete(COMMITTED);
        assertThat(observer.told).hasSize(1);
    }

    @Test
    void aClientThatHasShutItsOutputIsTold() {
        logIn(Scripted.CLASSIC, true);
        begin();
        lose("COMMIT");
        scripted.session.clientShutOutput();
        observer.found.complete(COMMITTED);
        assertThat(scripted.client.take()).isEqualTo(OK);
        assertThat(scripted.session.ended()).isTrue();
    }

    @Test
    void whenTheTimeIsOverItIsUnknown() {
        logIn(Scripted.CLASSIC, true);
        begin();
        lose("COMMIT");
        scripted.environment.absentPrimary().allow(Duration.ofNanos(1));
        tick();
        assertThat(error(1)).startsWith("1105 #08007").contains("failover.hold");
        assertThat(held("timed_out")).isEqualTo(1);
        assertThat(scripted.closed("server_closed")).isEqualTo(1);
        observer.found.complete(COMMITTED);
        assertThat(observer.outcomes).hasSize(1);
    }

    @Test
    void aDrainThatEndsTellsThemToo() {
        logIn(Scripted.CLASSIC, true);
        begin();
        lose("COMMIT");
        scripted.session.drain();
        assertThat(scripted.session.ended()).isFalse();
        scripted.session.drainNow();
        assertThat(error(1)).startsWith("1105 #08007").contains("the proxy stops");
        assertThat(scripted.session.ended()).isTrue();
    }

    @Test
    void aDrainEndsTheSessionBehindTheAnswer() {
        logIn(Scripted.CLASSIC, true);
        begin();
        lose("COMMIT");
        scripted.session.drain();
        observer.found.complete(COMMITTED);
        assertThat(scripted.client.take()).isEqualTo(OK);
        assertThat(scripted.closed("drained")).isEqualTo(1);
    }

    @Test
    void severalInFlightEndTheSession() {
        logIn(Scripted.CLASSIC, true);
        scripted.client(query("INSERT INTO t VALUES (1)"), query("INSERT INTO t VALUES (2)"));
        scripted.session.serverClosed();
        assertThat(observer.asked).containsExactly(1L);
        observer.found.complete(new NotCommitted());
        assertThat(error(1)).startsWith("1105 #08007").contains("several statements");
        assertThat(scripted.closed("server_closed")).isEqualTo(1);
        assertThat(observer.asked).hasSize(1);
    }

    @Test
    void aReadAheadOfItGetsTheError() {
        logIn(Scripted.CLASSIC, true);
        scripted.client(query("SELECT 1"), query("INSERT INTO t VALUES (2)"));
        scripted.session.serverClosed();
        assertThat(observer.asked).containsExactly(2L);
        observer.found.complete(COMMITTED);
        assertThat(error(1)).contains("was committed as 0-1-42");
        assertThat(observer.gtids).containsExactly((String) null);
        assertThat(scripted.session.ended()).isTrue();
    }

    /** Its rest would be commands to the next server. */
    @Test
    void aCommandThatIsCutEndsTheSession() {
        logIn(Scripted.CLASSIC, true);
        byte[] insert = query("INSERT INTO t VALUES ('" + "a".repeat(Scripted.STATEMENT_LIMIT) + "')");
        scripted.client(Bytes.slice(insert, 0, insert.length - 1));
        scripted.session.serverClosed();
        assertThat(scripted.session.ended()).isTrue();
        assertThat(observer.patience).containsExactly(Duration.ZERO);
    }

    @Test
    void anErrorAheadOfACommandsEndLeavesTheSessionWhereItIs() {
        logIn(Scripted.CLASSIC, true);
        byte[] insert = query("INSERT INTO t VALUES ('" + "a".repeat(Scripted.STATEMENT_LIMIT) + "')");
        scripted.client(Bytes.slice(insert, 0, insert.length - 1));
        scripted.server(packet(1, Bytes.err(1153, "too large")));
        assertThat(scripted.model().mayPause()).isFalse();
        scripted.client(Bytes.slice(insert, insert.length - 1, insert.length));
        assertThat(scripted.model().mayPause()).isTrue();
        scripted.client.take();
    }

    @Test
    void anErrorAheadOfAFilesEndLeavesTheSessionWhereItIs() {
        logIn(Scripted.CLASSIC, true);
        scripted.client(query("LOAD DATA LOCAL INFILE 'f' INTO TABLE t"));
        scripted.server(packet(1, Bytes.of(0xFB, 'f')));
        scripted.client(packet(2, Bytes.text("1,2")));
        scripted.server(packet(3, Bytes.err(1062, "duplicate")));
        assertThat(scripted.model().mayPause()).isFalse();
        scripted.client(packet(3, Bytes.text("3,4")));
        assertThat(scripted.model().mayPause()).isFalse();
        scripted.client(packet(4, Bytes.of()));
        assertThat(scripted.model().mayPause()).isTrue();
        scripted.client.take();
    }

    @Test
    void whatWasSentBehindARepeatedStatementIsNotExecuted() {
        logIn(Scripted.CLASSIC, true);
        begin();
        lose("INSERT INTO t VALUES (1)");
        scripted.client(query("COMMIT"));
        scripted.server.take();
        observer.found.complete(new NotCommitted());
        String told = error(1);
        assertThat(told).startsWith("1213 #40001").contains("the connection to the primary was lost");
        assertThat(scripted.server.take()).isEmpty();
        assertThat(scripted.session.ended()).isTrue();
    }

    /** An ERR_Packet does not say whether a transaction is open. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "BEGIN NOT ATOMIC START TRANSACTION; INSERT INTO t VALUES (1); SIGNAL SQLSTATE '45000'; END",
                "EXECUTE IMMEDIATE 'CALL p()'",
                "SET STATEMENT sql_mode = '' FOR CALL p()",
                "CALL p()"
            })
    void whatFailedInItsMiddleMayHaveLeftATransactionOpen(String sql) {
        logIn(Scripted.CLASSIC, true);
        scripted.client(query(sql));
        scripted.server(packet(1, Bytes.err(1644, "stop")));
        scripted.client.take();
        lose("COMMIT");
        observer.found.complete(new NotCommitted());

        assertThat(error(1)).startsWith("1213 ").contains("was not committed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "BEGIN NOT ATOMIC SET autocommit = 0; SIGNAL SQLSTATE '45000'; END",
                "EXECUTE IMMEDIATE 'CALL p()'",
                "SET STATEMENT sql_mode = '' FOR CALL p()"
            })
    void whatFailedInItsMiddleMayHaveSetAnything(String sql) {
        logIn(Scripted.CLASSIC, true);
        scripted.client(query(sql));
        assertThat(scripted.model().settings().known()).isTrue();
        scripted.server(packet(1, Bytes.err(1644, "stop")));
        assertThat(scripted.model().settings().known()).isFalse();
        scripted.client.take();
    }

    @Test
    void aBlockThatSucceedsMayHaveSetAnything() {
        logIn(Scripted.CLASSIC, true);
        scripted.client(query("BEGIN NOT ATOMIC SET autocommit = 0; END"));
        scripted.server(OK);
        assertThat(scripted.model().settings().known()).isFalse();
        scripted.client.take();
    }

    @Test
    void noSessionGoesOnElsewhereWhoseTransactionMayBeOpen() {
        logIn(Scripted.CLASSIC, true);
        scripted.client(query("CALL p()"));
        scripted.server(packet(1, Bytes.err(1644, "stop")));
        scripted.client.take();
        scripted.session.serverClosed();
        assertThat(scripted.session.ended()).isTrue();
    }

    @Test
    void aReadOutsideOfATransactionIsNotAskedAbout() {
        logIn(Scripted.CLASSIC, false);
        lose("SELECT a FROM t");
        assertThat(observer.asked).isEmpty();
        assertThat(scripted.session.ended()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void aCutHeaderDoesNotReachTheClient(int bytes) {
        logIn(Scripted.CLASSIC, false);
        begin();
        scripted.client(query("COMMIT"));
        scripted.server(slice(OK, 0, bytes));
        scripted.session.serverClosed();
        observer.found.complete(COMMITTED);
        assertThat(scripted.client.take()).isEqualTo(OK);
    }

    @Test
    void inTheMiddleOfAPacketNothingCanBeSaid() {
        logIn(Scripted.CLASSIC, true);
        begin();
        scripted.client(query("COMMIT"));
        scripted.server(slice(OK, 0, 6));
        scripted.session.serverClosed();
        assertThat(scripted.client.take()).isEqualTo(slice(OK, 0, 6));
        assertThat(observer.patience).containsExactly(Duration.ZERO);
        assertThat(scripted.session.ended()).isTrue();
    }

    @Test
    void behindTheFirstResultTheErrorContinuesItsNumbers() {
        logIn(Scripted.CLASSIC, false);
        scripted.client(query("CALL p()"));
        scripted.server(packet(1, Bytes.of(1)), packet(2, Bytes.definition("a")));
        scripted.client.take();
        scripted.session.serverClosed();
        observer.found.complete(COMMITTED);
        assertThat(error(3)).startsWith("1105 #08007").contains("its response is unknown");
    }

    @Test
    void aClientThatSendsAFileIsNotInterrupted() {
        logIn(Scripted.CLASSIC, true);
        scripted.client(query("LOAD DATA LOCAL INFILE 'f' INTO TABLE t"));
        scripted.server(packet(1, Bytes.of(0xFB, 'f')));
        scripted.client.take();
        scripted.session.serverClosed();
        assertThat(scripted.client.take()).isEmpty();
        assertThat(observer.patience).containsExactly(Duration.ZERO);
        assertThat(scripted.session.ended()).isTrue();
    }

    @Test
    void anotherServerHasBecomeThePrimaryMeanwhile() {
        logIn(Scripted.CLASSIC, true);
        begin();
        lose("COMMIT");
        scripted.primaryChanges();
        scripted.session.leaveNow(1);
        assertThat(scripted.session.ended()).isFalse();
        observer.found.complete(COMMITTED);
        assertThat(scripted.client.take()).isEqualTo(OK);
        tick();
        assertThat(observer.moves).isEqualTo(1);
    }

    @Test
    void aSilentServerIsLeftForTheNewPrimary() {
        logIn(Scripted.CLASSIC, true);
        begin();
        scripted.client(query("COMMIT"));
        scripted.primaryChanges();
        assertThat(observer.asked).isEmpty();
        scripted.session.leaveNow(1);
        assertThat(observer.asked).containsExactly(2L);
        observer.found.complete(COMMITTED);
        assertThat(scripted.client.take()).isEqualTo(OK);
        tick();
        assertThat(observer.moves).isEqualTo(1);
        assertThat(scripted.session.ended()).isFalse();
    }

    @Test
    void thePrimaryDiesAgainBeforeTheSessionIsThere() {
        logIn(Scripted.CLASSIC, true);
        begin();
        lose("COMMIT");
        outage();
        observer.found.complete(COMMITTED);
        assertThat(scripted.client.take()).isEqualTo(OK);
        absent = true;
        scripted.environment.absentPrimary().probed();
        tick();
        assertThat(observer.moves).isZero();
        assertThat(scripted.session.ended()).isFalse();
        absent = false;
        scripted.environment.absentPrimary().probed();
        tick();
        assertThat(observer.moves).isEqualTo(1);
        begin();
        lose("COMMIT");
        assertThat(observer.asked).as("a second loss").hasSize(2);
        assertThat(scripted.client.take()).as("the same stage again").isEqualTo(OK);
    }

    @Test
    void aConnectionThatWasCutWhileThePrimaryLivesEndsBehindTheAnswer() {
        logIn(Scripted.CLASSIC, true);
        begin();
        lose("COMMIT");
        observer.found.complete(COMMITTED);
        assertThat(scripted.client.take()).isEqualTo(OK);
        tick();
        assertThat(observer.moves).isZero();
        assertThat(scripted.session.ended()).isTrue();
    }

    @Test
    void aPluginThatFailsDoesNotLeaveTheClientWaiting() {
        logIn(Scripted.CLASSIC, false);
        begin();
        lose("COMMIT");
        observer.found.completeExceptionally(new IllegalStateException("a fault of a test"));
        assertThat(error(1)).startsWith("1105 #08007").contains("internal error");
    }

    @Test
    void aPluginThatThrowsOrDoesNotKnowChangesNothing() {
        SessionObserver throwing = new SessionObserver() {
            @Override
            public @Nullable CompletionStage<Outcome> outcomeOf(CommandView command, Duration patience) {
                throw new IllegalStateException("a fault of a test");
            }
        };
        scripted = new Scripted(Memory.direct(), throwing, SessionObserver.NONE);
        logIn(Scripted.CLASSIC, true);
        lose("INSERT INTO t VALUES (1)");
        assertThat(scripted.client.take()).isEmpty();
        assertThat(scripted.closed("server_closed")).isEqualTo(1);
    }

    @Test
    void anInjectedStatementAheadOfItIsForgotten() {
        Knowing injecting = new Knowing() {
            @Override
            public int interests() {
                return super.interests() | Interest.BOUNDARY;
            }
        };
        scripted = new Scripted(Memory.direct(), injecting);
        logIn(Scripted.CLASSIC, false);
        injecting.next = new InjectedStatement("SET @@timestamp = 1", "test");
        scripted.client(query("INSERT INTO t VALUES (1)"));
        scripted.server(slice(OK, 0, 6));
        scripted.session.serverClosed();
        injecting.found.complete(COMMITTED);
        assertThat(error(1)).contains("was committed as 0-1-42");
        assertThat(injecting.injected).isEmpty();
    }

    @Test
    void withSessionTrackingTheOkIsTheSame() {
        logIn(Scripted.CLASSIC | Capabilities.SESSION_TRACK | Capabilities.DEPRECATE_EOF, false);
        begin();
        lose("COMMIT");
        observer.found.complete(COMMITTED);
        assertThat(scripted.client.take()).isEqualTo(OK);
    }
}
