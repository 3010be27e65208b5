package io.understudy.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.command.SessionModel;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.ScriptedConnection;
import io.understudy.testkit.session.Watcher;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class StateReaderTest {
    private static final byte[] INTERRUPTED = Bytes.err(1317, "#70100Query execution was interrupted");

    /** A client's KILL QUERY may come when its own statement is over. */
    @Test
    void aQuestionThatIsKilledIsAskedOnceMore() {
        Scripted scripted = new Scripted(Memory.heap()).loggedIn(Scripted.CLASSIC);
        ScriptedConnection old = new ScriptedConnection(Scripted.CLASSIC);
        CompletableFuture<CarriedState> state = StateReader.read(old, scripted.model(), Set.of(), () -> {});
        int asked = old.commands.size();
        for (int i = 0; i < asked; i++) {
            old.answer(INTERRUPTED);
        }
        assertThat(old.commands).hasSize(asked + 1);
        assertThat(old.commands.get(asked)).isEqualTo(old.commands.get(0));
        assertThat(state).isNotDone();
        old.answer(INTERRUPTED);
        assertThat(state).isCompletedExceptionally();
        scripted.finish();
    }

    /** RELEASE_ALL_LOCKS() does not count them. */
    @Test
    void aLockOfTheLockingServiceDoesNotMove() {
        Scripted scripted = new Scripted(Memory.heap(), context -> {
                    ((SessionModel) context).setMovable();
                    return new Watcher(0);
                })
                .loggedIn(Scripted.CLASSIC);
        scripted.client(Bytes.command(CommandCode.QUERY, "SELECT service_get_write_locks('ns', 'l', 1)"));
        scripted.server(Bytes.packet(1, Bytes.ok(0, ServerStatus.AUTOCOMMIT)));
        CompletableFuture<CarriedState> state =
                StateReader.read(new ScriptedConnection(Scripted.CLASSIC), scripted.model(), Set.of(), () -> {});
        assertThatThrownBy(() -> state.getNow(null))
                .cause()
                .extracting("reason")
                .isEqualTo("user_lock");
        scripted.finish();
    }
}
