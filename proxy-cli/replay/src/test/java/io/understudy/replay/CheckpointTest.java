package io.understudy.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import io.understudy.replay.log.LogEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The file as a kill at any moment would leave it. */
@Timeout(60)
class CheckpointTest {
    private static final ReplayOptions OPTIONS = new ReplayOptions(
            Address.parse("standby:3306"),
            "player",
            Secret.parse(""),
            new ServerTlsConfig(ServerTlsMode.DISABLED, null, null, null),
            1,
            LogFilter.READS,
            8);

    @TempDir
    private Path folder;

    private Path path = Path.of("unset");
    private @Nullable CheckpointLock lock;

    @BeforeEach
    void name() {
        path = folder.resolve("replay.ckpt");
    }

    private CheckpointFile begin() throws IOException {
        CheckpointLock taken = CheckpointLock.take(path);
        lock = taken;
        return CheckpointFile.begin(taken, "/captures", OPTIONS, null);
    }

    @AfterEach
    void release() throws IOException {
        CheckpointLock taken = lock;
        if (taken != null) {
            taken.close();
        }
    }

    private Checkpoint left() throws IOException {
        return Checkpoint.read(path, Checkpoint.Subject.of("/moved", OPTIONS));
    }

    private static long hand(CheckpointFile file, long session) {
        long position = file.read(new LogEvent(
                LogEvent.Kind.STATEMENT,
                session,
                "app",
                null,
                "SELECT 1".getBytes(StandardCharsets.UTF_8),
                0,
                0,
                1,
                null,
                null,
                null,
                null));
        file.handed(session, position);
        return position;
    }

    /** Returns once the statement may be sent. */
    private static void send(CheckpointFile file, long session, long position) throws Exception {
        CompletableFuture<Boolean> noted = new CompletableFuture<>();
        file.sends(session, position, noted::complete);
        assertThat(noted.get(30, TimeUnit.SECONDS)).isTrue();
    }

    private static void play(CheckpointFile file, long session, boolean inTransaction) throws Exception {
        long position = hand(file, session);
        send(file, session, position);
        file.answered(session, position, inTransaction);
    }

    private void awaitLeft(long session, long from, long transaction, long inFlight) {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(left().sessions())
                        .containsEntry(session, new Checkpoint.Session(from, transaction, inFlight)));
    }

    @Test
    void aStatementIsSentOnceTheFileHasIt() throws Exception {
        try (CheckpointFile file = begin()) {
            long first = hand(file, 7);
            AtomicReference<Checkpoint.Session> asSent = new AtomicReference<>();
            file.sends(7, first, noted -> {
                try {
                    asSent.set(left().sessions().get(7L));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            await().atMost(Duration.ofSeconds(30)).until(() -> asSent.get() != null);
            assertThat(asSent.get()).isEqualTo(new Checkpoint.Session(1, 0, 1));
        }
    }

    @Test
    void eachStepIsInTheFileSoon() throws Exception {
        try (CheckpointFile file = begin()) {
            long first = hand(file, 7);
            send(file, 7, first);
            hand(file, 7);
            file.answered(7, first, false);
            awaitLeft(7, 2, 0, 0);
            play(file, 8, true); // BEGIN
            play(file, 8, true);
            awaitLeft(8, 5, 3, 0);
            long lost = hand(file, 8);
            send(file, 8, lost);
            awaitLeft(8, 5, 3, 5);
            file.lost(8, lost);
            awaitLeft(8, 5, 0, 5);
            hand(file, 8);
            long given = hand(file, 8);
            file.passedOver(8, given - 1);
            awaitLeft(8, 7, 0, 0);
            assertThat(left().end()).isEqualTo(7);
        }
    }

    @Test
    void theLastFileHasWhatIsNotDone() throws Exception {
        try (CheckpointFile file = begin()) {
            play(file, 1, false);
            play(file, 2, true);
            play(file, 2, true);
            hand(file, 3);
            long sent = hand(file, 4);
            send(file, 4, sent);
            hand(file, 4);
        }
        Checkpoint last = left();
        assertThat(last.read()).isEqualTo(6);
        // All of 1 is done; 2 has a transaction open; nothing of 3 was sent; one of 4 is in flight.
        assertThat(last.sessions())
                .hasSize(3)
                .containsEntry(2L, new Checkpoint.Session(4, 2, 0))
                .containsEntry(3L, new Checkpoint.Session(4, 0, 0))
                .containsEntry(4L, new Checkpoint.Session(5, 0, 5));
    }

    @Test
    void anEndedSessionIsForgottenWhenItsStatementsAreOver() throws Exception {
        try (CheckpointFile file = begin()) {
            play(file, 1, true);
            long position = hand(file, 1);
            file.quit(1, 3);
            assertThat(file.isBusy(1)).isTrue();
            send(file, 1, position);
            file.answered(1, position, true);
            assertThat(file.isBusy(1)).isFalse();
        }
        assertThat(left().sessions()).isEmpty();
    }

    @Test
    void aFileThatIsNoneOrOfAnotherVersionIsNamed() throws Exception {
        Files.writeString(path, "understudy replay checkpoint 1\n{\"log\":\"/cap");
        assertThatThrownBy(this::left)
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(path + " is a checkpoint of another version, 'understudy replay checkpoint 1'")
                .hasMessageContaining("begin anew without --resume and with another file");
        Files.writeString(path, "{\"format\":\"understudy replay checkpoint 2\",\"log\":\"/cap");
        assertThatThrownBy(this::left)
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(path + " is no checkpoint of a replay, or is damaged: it is no JSON: ")
                .hasMessageContaining("line: 1, column: ")
                .hasMessageEndingWith(". Begin anew without --resume and with another file");
        Files.createFile(folder.resolve("replay.ckpt.forced"));
        Files.writeString(path, "{\"format\":\"understudy replay checkpoint 2\",\"read\":\"many\"}");
        assertThatThrownBy(this::left)
                .hasMessageStartingWith(path + " is no checkpoint of a replay, or is damaged: a value is missing")
                .hasMessageContaining("Move " + path + ".forced there, which is a little older, or begin anew");
    }

    /** What waits then is not sent, and the file does not say that it may have been. */
    @Test
    void nothingIsSentAfterTheEnd() throws Exception {
        AtomicReference<Boolean> noted = new AtomicReference<>();
        try (CheckpointFile file = begin()) {
            play(file, 7, false);
            long next = hand(file, 7);
            file.close();
            file.sends(7, next, noted::set);
        }
        assertThat(noted.get()).isFalse();
        assertThat(left().sessions()).containsEntry(7L, new Checkpoint.Session(2, 0, 0));
    }

    /** A later session with the number of one whose last statement was lost does not wait for it. */
    @Test
    void aLostStatementIsWaitedForNoLonger() throws Exception {
        try (CheckpointFile file = begin()) {
            long lost = hand(file, 7);
            send(file, 7, lost);
            file.quit(7, 2);
            file.lost(7, lost);
            assertThat(file.isBusy(7)).isFalse();
            awaitLeft(7, 1, 0, 1);
            long next = hand(file, 7);
            assertThat(file.isBusy(7)).isTrue();
            send(file, 7, next);
            file.answered(7, next, false);
            assertThat(file.isBusy(7)).isFalse();
        }
    }

    /** Logs may not say that sessions end. */
    @Test
    void sessionsWithNothingToSayAreForgotten() throws Exception {
        try (CheckpointFile file = begin()) {
            for (int session = 0; session < 1000; session++) {
                play(file, session, session == 500);
            }
        }
        assertThat(left().sessions()).containsOnlyKeys(500L);
    }

    /** The same command can be given again after a mistake in it, such as a wrong password. */
    @Test
    void aReplayThatPlayedNothingLeavesNone() throws Exception {
        begin().close();
        assertThat(path).doesNotExist();
    }

    @Test
    void oneReplayWritesIt() throws Exception {
        try (CheckpointFile file = begin()) {
            hand(file, 1);
            assertThatThrownBy(() -> CheckpointLock.take(path))
                    .hasMessage(path + " is being written by another replay, process "
                            + ProcessHandle.current().pid());
        }
        // Until what it has written can be read by the next one.
        assertThatThrownBy(() -> CheckpointLock.take(path)).hasMessageContaining("is being written by another replay");
        release();
        assertThatThrownBy(this::begin).hasMessageContaining("exists: --resume continues its replay");
    }

    @Test
    void aFileThatCannotBeWrittenIsToldAndNothingIsSent() throws Exception {
        AtomicReference<String> told = new AtomicReference<>("");
        try (CheckpointFile file = begin()) {
            file.onFailure(told::set);
            long first = hand(file, 7);
            send(file, 7, first);
            long second = hand(file, 7);
            file.answered(7, first, false);
            awaitLeft(7, 2, 0, 0);
            Files.createDirectory(folder.resolve("replay.ckpt.next"));
            CompletableFuture<Boolean> noted = new CompletableFuture<>();
            file.sends(7, second, noted::complete);
            assertThat(noted.get(30, TimeUnit.SECONDS)).isFalse();
            assertThat(told.get()).startsWith("the checkpoint " + path + " cannot be written: ");
            assertThat(file.inFlight()).isZero();
            told.set("");
        }
        assertThat(told.get()).as("at the end").startsWith("the checkpoint " + path + " cannot be written: ");
        assertThat(left().sessions()).containsEntry(7L, new Checkpoint.Session(2, 0, 0));
    }

    /** A thread that ended in silence would leave all later statements waiting for ever. */
    @Test
    void aFaultIsToldAndTheOthersStillGetAnAnswer() throws Exception {
        AtomicReference<String> told = new AtomicReference<>("");
        try (CheckpointFile file = begin()) {
            file.onFailure(told::set);
            file.sends(7, hand(file, 7), noted -> {
                throw new IllegalStateException("made for the test");
            });
            await().atMost(Duration.ofSeconds(30)).until(() -> !"".equals(told.get()));
            send(file, 8, hand(file, 8));
            assertThat(told.get())
                    .isEqualTo("a fault of the replay: java.lang.IllegalStateException: made for the test");
        }
    }

    /** A rename alone may leave an empty file after a loss of power. */
    @Test
    void oneThatWasForcedIsKeptUntilTheEnd() throws Exception {
        Path forced = folder.resolve("replay.ckpt.forced");
        try (CheckpointFile file = begin()) {
            assertThat(Checkpoint.read(forced, Checkpoint.Subject.of("/captures", OPTIONS))
                            .read())
                    .isZero();
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                play(file, 1, false);
                return Checkpoint.read(forced, Checkpoint.Subject.of("/captures", OPTIONS))
                                .read()
                        > 0;
            });
        }
        assertThat(forced).doesNotExist();
        assertThat(left().read()).isPositive();
    }
}
