package io.understudy.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.config.Address;
import io.understudy.config.Secret;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import io.understudy.replay.log.LogEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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

    private static void play(CheckpointFile file, long session, boolean inTransaction) {
        long position = hand(file, session);
        file.sent(session, position);
        file.answered(session, position, inTransaction);
    }

    @Test
    void eachStepIsInTheFileAtOnce() throws Exception {
        try (CheckpointFile file = begin()) {
            long first = hand(file, 7);
            file.sent(7, first);
            assertThat(left().sessions()).containsEntry(7L, new Checkpoint.Session(1, 0, 1));
            file.answered(7, first, false);
            assertThat(left().sessions()).containsEntry(7L, new Checkpoint.Session(2, 0, 0));
            play(file, 8, true); // BEGIN
            play(file, 8, true);
            assertThat(left().sessions()).containsEntry(8L, new Checkpoint.Session(4, 2, 0));
            long lost = hand(file, 8);
            file.sent(8, lost);
            assertThat(left().sessions()).containsEntry(8L, new Checkpoint.Session(4, 2, 4));
            file.lost(8, lost);
            assertThat(left().sessions()).containsEntry(8L, new Checkpoint.Session(4, 0, 4));
            long given = hand(file, 8);
            file.passedOver(8, given);
            assertThat(left().sessions()).containsEntry(8L, new Checkpoint.Session(6, 0, 0));
            assertThat(left().end()).isEqualTo(5);
        }
    }

    /** The same state, whether it is in the first lines or in those behind them. */
    @Test
    void aNewFileSaysTheSame() throws Exception {
        try (CheckpointFile file = begin()) {
            play(file, 1, false);
            play(file, 2, true);
            play(file, 2, true);
            hand(file, 3);
            long sent = hand(file, 4);
            file.sent(4, sent);
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
            file.sent(1, position);
            file.answered(1, position, true);
            assertThat(file.isBusy(1)).isFalse();
            assertThat(left().sessions()).containsEntry(1L, new Checkpoint.Session(4, 0, 0));
        }
        assertThat(left().sessions()).isEmpty();
    }

    @Test
    void aLineThatIsCutOffIsLeftOut() throws Exception {
        try (CheckpointFile file = begin()) {
            play(file, 7, false);
            hand(file, 7);
        }
        Files.writeString(path, Files.readString(path) + "s 7 2\nd 7 21");
        assertThat(left().sessions()).containsEntry(7L, new Checkpoint.Session(2, 0, 2));
        Files.writeString(path, Files.readString(path) + "\nx 7 3\n");
        assertThatThrownBy(this::left).hasMessageContaining("replay.ckpt is damaged: a line that begins with x");
    }

    /** A later session with the number of one whose last statement was lost does not wait for it. */
    @Test
    void aLostStatementIsWaitedForNoLonger() throws Exception {
        try (CheckpointFile file = begin()) {
            long lost = hand(file, 7);
            file.sent(7, lost);
            file.quit(7, 2);
            file.lost(7, lost);
            assertThat(file.isBusy(7)).isFalse();
            assertThat(left().sessions()).containsEntry(7L, new Checkpoint.Session(1, 0, 1));
            long next = hand(file, 7);
            assertThat(file.isBusy(7)).isTrue();
            file.sent(7, next);
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
            assertThat(file.known()).isEqualTo(1);
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
    void aFileThatCannotBeWrittenIsTold() throws Exception {
        StringBuilder told = new StringBuilder();
        try (CheckpointFile file = begin()) {
            file.onFailure(told::append);
            Files.delete(path);
            Files.createDirectories(path.resolve("in-the-way"));
            hand(file, 1);
            assertThat(told.toString()).startsWith("the checkpoint " + path + " cannot be written: ");
        } catch (IOException atTheEnd) {
            assertThat(atTheEnd).hasMessageContaining("replay.ckpt");
        }
    }

    @Test
    void aFileThatCannotBeWrittenAtTheEndIsToldAndStaysAsItWas() throws IOException {
        AtomicReference<String> told = new AtomicReference<>("");
        try (CheckpointFile file = begin()) {
            file.onFailure(told::set);
            play(file, 7, false);
            Files.createDirectory(folder.resolve("replay.ckpt.next"));
        }

        assertThat(told.get()).startsWith("the checkpoint " + path + " cannot be written: ");
        assertThat(left().sessions()).containsEntry(7L, new Checkpoint.Session(2, 0, 0));
    }

    @Test
    void aFileWithItsSecondLineCutOffIsNamed() throws IOException {
        Files.writeString(path, Checkpoint.FIRST_LINE + "\n{\"log\":\"/cap");

        assertThatThrownBy(this::left)
                .isInstanceOf(IOException.class)
                .hasMessage(path + " is damaged: its second line is no JSON");
    }
}
