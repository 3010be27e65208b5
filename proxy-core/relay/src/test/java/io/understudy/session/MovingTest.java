package io.understudy.session;

import static io.understudy.testkit.Bytes.concat;
import static io.understudy.testkit.Bytes.int2;
import static io.understudy.testkit.Bytes.int4;
import static io.understudy.testkit.Bytes.of;
import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.packet;
import static io.understudy.testkit.Bytes.shortString;
import static io.understudy.testkit.Bytes.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.command.SessionModel;
import io.understudy.handshake.LoginResult;
import io.understudy.move.NotMoved;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.Interest;
import io.understudy.plugin.SessionRefusal;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.sql.StatementKind;
import io.understudy.sql.TableName;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.ManualExecutor;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What meets a move: the old server's last words, its death, another change, a plugin. */
@ExtendWith(LeakCheck.class)
class MovingTest {
    private static final byte[] OK = packet(1, ok(0, ServerStatus.AUTOCOMMIT));
    private static final byte[] IN_TRANSACTION = packet(1, ok(0, ServerStatus.AUTOCOMMIT | ServerStatus.IN_TRANS));
    private static final byte[] READ = query("SELECT a FROM t WHERE b = 1");
    private static final byte[] WRITE = query("INSERT INTO t VALUES (1)");

    /** Moves when the test says so. */
    private final class Mover implements SessionMover {
        private final List<Result> results = new ArrayList<>();
        private boolean gone;
        private boolean ended;

        @Override
        public void loggedIn(LoginResult login) {}

        @Override
        public void move(
                SessionModel model, Set<String> own, List<TableName> readAgain, boolean serverGone, Result result) {
            gone = serverGone;
            results.add(result);
        }

        @Override
        public Runnable later(Runnable task, long millis) {
            Future<?> scheduled = timer.schedule(task, millis, TimeUnit.MILLISECONDS);
            return () -> scheduled.cancel(false);
        }

        @Override
        public void ended() {
            ended = true;
        }

        private void arrive(boolean primary) {
            results.get(results.size() - 1).moved(new Server(primary), () -> {}, 12);
        }
    }

    private record Server(boolean isPrimary) implements Destination {
        @Override
        public String name() {
            return "another";
        }

        @Override
        public boolean isAbandoned() {
            return false;
        }

        @Override
        public void loggedIn() {}

        @Override
        public void silent() {}
    }

    private final ManualExecutor timer = new ManualExecutor();
    private final Mover mover = new Mover();
    private final Scripted scripted =
            new Scripted(Memory.direct(), session -> new Watcher(Watcher.ALL | Interest.BOUNDARY) {
                @Override
                public @Nullable InjectedStatement beforeCommand(CommandView command) {
                    if (command.kind() == StatementKind.SHOW && refuses) {
                        session.refuse(new SessionRefusal("p0", "limit", 1226, "42000", "too many of you"));
                    }
                    return null;
                }
            });
    private final AbsentPrimary.Signs signs = new AbsentPrimary.Signs() {
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
    };
    private boolean refuses;
    private volatile boolean absent;

    private static byte[] query(String sql) {
        return Bytes.command(CommandCode.QUERY, sql);
    }

    @BeforeEach
    void logIn() {
        scripted.environment.setMoves(true);
        AbsentPrimary primary = scripted.environment.absentPrimary();
        primary.follow(signs, timer, () -> List.of(scripted.session));
        primary.allow(Duration.ofMinutes(10));
        scripted.session.movedBy(mover);
        scripted.loggedIn(Scripted.CLASSIC);
    }

    private void absent(boolean now) {
        absent = now;
        scripted.environment.absentPrimary().probed();
        timer.advance(Duration.ofSeconds(1));
    }

    /** Runs a statement, about which the client may ask. */
    private void write() {
        scripted.client(WRITE);
        scripted.server(OK);
        scripted.client.take();
        scripted.server.take();
    }

    @Test
    void whatTheOldServerSaysBeforeItClosesIsNoResponse() {
        scripted.primaryChanges();
        scripted.server(packet(0, Bytes.err(4031, "#HY000idle for too long")));
        assertThat(scripted.client.take()).isEmpty();
        mover.arrive(true);
        scripted.client(WRITE);
        assertThat(scripted.server.take()).isEqualTo(WRITE);
        scripted.server(OK);
        assertThat(scripted.client.take()).isEqualTo(OK);
        scripted.finish();
    }

    /** Loses the server while a read is in flight of whose response this is there. */
    private void loseWithARead(byte... begun) {
        scripted.client(READ);
        scripted.server(begun);
        absent(true);
        scripted.session.serverClosed();
        scripted.server.take();
        absent(false);
        assertThat(mover.gone).isTrue();
    }

    @Test
    void aResponseCutInItsHeaderIsForgottenWhenTheReadIsSentAgain() {
        loseWithARead((byte) 1, (byte) 0, (byte) 0);
        mover.arrive(true);
        assertThat(scripted.server.take()).isEqualTo(READ);
        scripted.server(OK);
        assertThat(scripted.client.take()).isEqualTo(OK);
        assertThat(scripted.session.phaseName()).isEqualTo("relaying");
        scripted.finish();
    }

    private static Stream<byte[]> preparing() {
        return Stream.of(
                query("BEGIN"),
                query("START TRANSACTION READ ONLY"),
                query("COMMIT"),
                query("ROLLBACK"),
                query("SET autocommit = 0, NAMES utf8mb4"),
                query("SET @a = 1"),
                query("USE shop"),
                Bytes.command(CommandCode.INIT_DB, "shop"),
                Bytes.command(CommandCode.PING, ""));
    }

    /** Nothing is open that a COMMIT could end: what was written before has got its OK. */
    @ParameterizedTest
    @MethodSource("preparing")
    void whatPreparesWorkIsSentAgain(byte[] command) {
        scripted.client(command);
        absent(true);
        scripted.session.serverClosed();
        scripted.server.take();
        absent(false);
        mover.arrive(true);
        assertThat(scripted.server.take()).isEqualTo(command);
        scripted.server(OK);
        assertThat(scripted.client.take()).isEqualTo(OK);
        scripted.finish();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET @a = @a + 1",
                "SET GLOBAL max_connections = 9",
                "SET @a = f()",
                "COMMIT; INSERT INTO t VALUES (1)",
                "SET STATEMENT max_statement_time = 1 FOR INSERT INTO t VALUES (1)"
            })
    void whatMayHaveChangedMoreIsNotSentAgain(String sql) {
        scripted.client(query(sql));
        absent(true);
        scripted.session.serverClosed();
        assertThat(scripted.session.ended()).isTrue();
        scripted.finish();
    }

    @Test
    void aCommitOfATransactionIsNotSentAgain() {
        scripted.client(query("BEGIN"));
        scripted.server(IN_TRANSACTION);
        scripted.client(query("COMMIT"));
        absent(true);
        scripted.session.serverClosed();
        assertThat(scripted.session.ended()).isTrue();
        scripted.finish();
    }

    /** Without autocommit an error does not say whether a transaction is open, as of a CALL that had written. */
    @Test
    void withoutAutocommitACommitMayHaveSomethingToEnd() {
        scripted.client(query("SET autocommit = 0"));
        scripted.server(packet(1, ok(0, 0)));
        scripted.client(query("COMMIT"));
        absent(true);
        scripted.session.serverClosed();
        assertThat(scripted.session.ended()).isTrue();
        scripted.finish();
    }

    private void losesItsServer() {
        absent(true);
        scripted.session.serverClosed();
    }

    @ParameterizedTest
    @ValueSource(strings = {"LOCK TABLES t WRITE", "FLUSH TABLES WITH READ LOCK"})
    void aSessionWithALockEndsWithItsServer(String lock) {
        for (byte[] command : List.of(READ, query("BEGIN"), Bytes.command(CommandCode.PING, ""))) {
            Scripted with = new Scripted(Memory.direct());
            with.environment.setMoves(true);
            with.environment.absentPrimary().follow(signs, timer, List::of);
            with.environment.absentPrimary().allow(Duration.ofMinutes(10));
            with.loggedIn(Scripted.CLASSIC);
            with.client(query(lock));
            with.server(OK);
            with.client(command);
            with.session.serverClosed();
            assertThat(with.session.ended()).isTrue();
            with.finish();
        }
    }

    /** Prepares a read with one parameter, as statement 1. */
    private void prepare() {
        scripted.client(Bytes.command(CommandCode.STMT_PREPARE, "SELECT a FROM t WHERE b = ?"));
        byte[] parameter = concat(
                shortString("def"),
                shortString(""),
                shortString(""),
                shortString(""),
                shortString("?"),
                shortString(""),
                of(12),
                int2(63),
                int4(0),
                of(253),
                int2(0),
                of(0, 0, 0));
        scripted.server(
                packet(1, concat(of(0), int4(1), int2(0), int2(1), of(0, 0, 0))),
                packet(2, parameter),
                packet(3, of(0xFE, 0, 0, ServerStatus.AUTOCOMMIT, 0)));
        scripted.client.take();
        scripted.server.take();
        assertThat(scripted.model().inFlight().isEmpty()).isTrue();
    }

    private static byte[] longData(String value) {
        return Bytes.command(CommandCode.STMT_SEND_LONG_DATA, concat(int4(1), int2(0), text(value)));
    }

    private static byte[] execute(int cursor) {
        return Bytes.command(CommandCode.STMT_EXECUTE, concat(int4(1), of(cursor), int4(1), of(0, 1, 253, 0, 1, 'x')));
    }

    @Test
    void aPreparedReadIsSentAgainUnlessItHadLongData() {
        prepare();
        scripted.client(execute(0));
        losesItsServer();
        assertThat(scripted.session.ended()).isFalse();
        scripted.finish();
    }

    /** The server had them, and the next one would not. */
    @Test
    void aPreparedReadWithLongDataIsNotSentAgain() {
        prepare();
        scripted.client(longData("long"), execute(0));
        losesItsServer();
        assertThat(scripted.session.ended()).isTrue();
        scripted.finish();
    }

    @Test
    void longDataOfAnotherStatementEndWithTheServer() {
        prepare();
        scripted.client(longData("long"), READ);
        losesItsServer();
        assertThat(scripted.session.ended()).isTrue();
        scripted.finish();
    }

    /** Its rest must reach no other server. */
    @Test
    void aCommandOfWhichOnlyTheBeginningHasComeEndsWithTheServer() {
        prepare();
        byte[] begun = Arrays.copyOf(longData("long"), 13);
        scripted.client(READ, begun);
        losesItsServer();
        assertThat(scripted.session.ended()).isTrue();
        scripted.finish();
    }

    @Test
    void anOpenCursorEndsWithTheServer() {
        prepare();
        scripted.client(execute(1));
        byte[] column = concat(
                shortString("def"),
                shortString(""),
                shortString(""),
                shortString(""),
                shortString("a"),
                shortString(""),
                of(12),
                int2(63),
                int4(0),
                of(3),
                int2(0),
                of(0, 0, 0));
        int open = ServerStatus.AUTOCOMMIT | ServerStatus.CURSOR_EXISTS;
        scripted.server(packet(1, of(1)), packet(2, column), packet(3, of(0xFE, 0, 0, open, 0)));
        assertThat(scripted.model().inFlight().isEmpty()).isTrue();
        scripted.client(READ);
        losesItsServer();
        assertThat(scripted.session.ended()).isTrue();
        scripted.finish();
    }

    @Test
    void aSilentServerIsAskedNothing() {
        write();
        absent(true);
        scripted.client(query("SHOW WARNINGS"));
        scripted.primaryIsAbandoned();
        absent(false);
        assertThat(scripted.server.take()).isEmpty();
        assertThat(mover.gone).isTrue();
        mover.arrive(true);
        assertThat(scripted.server.take()).isEqualTo(query("SHOW WARNINGS"));
        scripted.finish();
    }

    /** Asks the old server, which has not answered yet. */
    private void ask() {
        write();
        scripted.primaryChanges();
        scripted.client(query("SHOW WARNINGS"));
        assertThat(scripted.server.take()).isEqualTo(query("SHOW WARNINGS"));
    }

    @Test
    void anAnswerIsNotAwaitedForEver() {
        ask();
        timer.advance(Duration.ofSeconds(29));
        assertThat(scripted.session.ended()).isFalse();
        timer.advance(Duration.ofSeconds(2));
        assertThat(scripted.closed("primary_changed")).isEqualTo(1);
        scripted.finish();
    }

    @Test
    void theAnswerOfAServerThatIsThePrimaryAgainMayTakeLonger() {
        ask();
        scripted.primaryReturns();
        timer.advance(Duration.ofSeconds(31));
        assertThat(scripted.session.ended()).isFalse();
        scripted.server(OK);
        assertThat(scripted.client.take()).isEqualTo(OK);
        scripted.finish();
    }

    @Test
    void anAnswerThatHasBegunMayTakeLonger() {
        ask();
        scripted.server(packet(1, of(1)));
        timer.advance(Duration.ofSeconds(31));
        assertThat(scripted.session.ended()).isFalse();
        scripted.finish();
    }

    @Test
    void nothingKeepsASessionThatEndedBeforeItsAnswer() {
        ask();
        long before = timer.waiting();
        scripted.session.end(CloseReason.PRIMARY_CHANGED);
        assertThat(timer.waiting()).isEqualTo(before - 1);
        scripted.finish();
    }

    @Test
    void anAnswerThatHasComeEndsTheWaitForIt() {
        write();
        scripted.primaryChanges();
        scripted.client(query("SHOW WARNINGS"));
        scripted.server(OK);
        assertThat(mover.results).isEmpty(); // it may ask more
        scripted.client(WRITE);
        mover.arrive(true);
        timer.advance(Duration.ofSeconds(31));
        assertThat(scripted.session.ended()).isFalse();
        scripted.finish();
    }

    /** COM_CHANGE_USER sends a password in the clear where the client's leg is secure. */
    @Test
    void thePasswordOfTheNextUserIsTranslatedAsTheNewServersLegNeedsIt() {
        scripted.primaryChanges();
        scripted.server.beLocal(); // which counts as secure
        mover.arrive(true);
        byte[] keyRequest = changeUser(of(1));
        scripted.client(keyRequest);
        assertThat(scripted.server.take()).isNotEmpty().isNotEqualTo(keyRequest);
        scripted.finish();
    }

    @Test
    void thePasswordOfTheNextUserIsNoLongerTranslatedBetweenLegsThatHaveBecomeAlike() {
        Scripted unlike = new Scripted(Memory.direct());
        unlike.environment.setMoves(true);
        unlike.session.movedBy(mover);
        unlike.server.beLocal();
        unlike.loggedIn(Scripted.CLASSIC);
        unlike.primaryChanges();
        unlike.server.beLocal(false);
        mover.arrive(true);
        byte[] keyRequest = changeUser(of(1));
        unlike.client(keyRequest);
        assertThat(unlike.server.take()).isEqualTo(keyRequest);
        unlike.finish();
    }

    private static byte[] changeUser(byte[] response) {
        return Bytes.command(
                CommandCode.CHANGE_USER,
                concat(
                        text("other\0"),
                        of(response.length),
                        response,
                        text("shop\0"),
                        int2(45),
                        text("sha256_password\0")));
    }

    @Test
    void aReadSentAgainIsAnsweredBeforeTheSessionMovesOn() {
        loseWithARead();
        scripted.primaryChanges();
        mover.arrive(false);
        assertThat(scripted.server.take()).isEqualTo(READ);
        assertThat(mover.results).hasSize(1);
        scripted.server(OK);
        assertThat(scripted.client.take()).isEqualTo(OK);
        scripted.client(WRITE);
        assertThat(mover.results).hasSize(2);
        assertThat(mover.gone).isFalse();
        mover.arrive(true);
        assertThat(scripted.server.take()).isEqualTo(WRITE);
        scripted.finish();
    }

    @Test
    void aPluginThatRefusesAQuestionEndsTheSessionAndWhatIsBehindIt() {
        write();
        refuses = true;
        scripted.primaryChanges();
        scripted.client(concat(query("SHOW WARNINGS"), WRITE));
        assertThat(scripted.closed("refused_by_plugin")).isEqualTo(1);
        assertThat(mover.ended).isTrue();
        scripted.finish();
    }

    @Test
    void whatFollowsAQuestionThatCannotBeReadGoesOnUnread() {
        write();
        scripted.primaryChanges();
        byte[] question = query("SHOW WARNINGS");
        question[3] = 1; // no command has this number
        scripted.client(concat(question, WRITE));
        assertThat(scripted.session.phaseName()).isEqualTo("relaying unread");
        assertThat(scripted.server.take()).isEqualTo(concat(question, WRITE));
        scripted.finish();
    }

    @Test
    void aSessionThatIsToLeaveWaitsForAPrimaryFirst() {
        scripted.client(WRITE);
        scripted.primaryChanges();
        absent(true);
        scripted.server(OK);
        scripted.client(WRITE);
        assertThat(mover.results).isEmpty();
        scripted.server.take();
        absent(false);
        assertThat(mover.results).hasSize(1);
        mover.arrive(true);
        assertThat(scripted.server.take()).isEqualTo(WRITE);
        scripted.finish();
    }

    @Test
    void anUnreachablePrimaryIsWaitedForFromTheFirstTimeOn() {
        scripted.primaryChanges();
        mover.results.get(0).failed(new NotMoved(NotMoved.UNREACHABLE, "connection refused"));
        assertThat(scripted.session.ended()).isFalse();
        absent(true);
        absent(false);
        assertThat(mover.results).hasSize(2);
        assertThat(mover.gone).isTrue();
        scripted.environment.absentPrimary().allow(Duration.ofNanos(1));
        mover.results.get(1).failed(new NotMoved(NotMoved.UNREACHABLE, "connection refused"));
        assertThat(scripted.session.ended()).isTrue();
        scripted.finish();
    }
}
