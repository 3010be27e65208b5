package io.understudy.session;

import static io.understudy.testkit.Bytes.concat;
import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.Interest;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An observer that throws is retired, and its changes to the session are undone. */
class RetiredObserverTest {
    private static final int AC = ServerStatus.AUTOCOMMIT;
    private static final byte[] OK = packet(1, ok(0, AC));
    private static final byte[] UNDO = Bytes.command(CommandCode.QUERY, "SET @a = 0");

    private static byte[] query(String sql) {
        return Bytes.command(CommandCode.QUERY, sql);
    }

    /** Throws at the statement that names the callback. */
    private static final class Faulty extends Watcher {
        private int retired;

        Faulty() {
            super(ALL | Interest.BOUNDARY);
        }

        private static void fail(String where, CommandView command) {
            if (Objects.requireNonNull(command.text()).equals(where)) {
                throw new IllegalStateException("on purpose, in " + where);
            }
        }

        @Override
        public void onCommand(CommandView command) {
            fail("onCommand", command);
        }

        @Override
        public @Nullable InjectedStatement beforeCommand(CommandView command) {
            fail("beforeCommand", command);
            return null;
        }

        @Override
        public @Nullable InjectedStatement onRetired() {
            retired++;
            return new InjectedStatement("SET @a = 0", "test");
        }
    }

    private static void passes(Scripted scripted, byte[] command) {
        scripted.client(command);
        assertThat(scripted.server.take()).isEqualTo(command);
        scripted.server(OK);
        assertThat(scripted.client.take()).isEqualTo(OK);
    }

    private static void passesBehindTheUndoing(Scripted scripted, byte[] command) {
        scripted.client(command);
        assertThat(scripted.server.take()).isEqualTo(concat(UNDO, command));
        scripted.server(OK, OK);
        assertThat(scripted.client.take()).isEqualTo(OK);
    }

    @Test
    void itsStatementsAreUndoneBeforeTheNextCommand() {
        Faulty observer = new Faulty();
        Scripted scripted = new Scripted(Memory.direct(), observer).loggedIn(Scripted.CLASSIC);
        passes(scripted, query("onCommand"));
        assertThat(observer.retired).isEqualTo(1);
        passesBehindTheUndoing(scripted, query("INSERT INTO t VALUES (1)"));
        passes(scripted, query("onCommand"));
        assertThat(observer.retired).isEqualTo(1);
        scripted.finish();
    }

    @Test
    void itsStatementsAreUndoneBeforeTheCommandAtWhichItFailed() {
        Faulty observer = new Faulty();
        Scripted scripted = new Scripted(Memory.direct(), observer).loggedIn(Scripted.CLASSIC);
        passesBehindTheUndoing(scripted, query("beforeCommand"));
        passes(scripted, query("INSERT INTO t VALUES (1)"));
        scripted.finish();
    }

    @Test
    void itsStatementsAreNotUndoneInsideATransaction() {
        Scripted scripted = new Scripted(Memory.direct(), new Faulty()).loggedIn(Scripted.CLASSIC);
        byte[] inTransaction = packet(1, ok(0, AC | ServerStatus.IN_TRANS));
        for (String sql : new String[] {"onCommand", "INSERT INTO t VALUES (1)"}) {
            scripted.client(query(sql));
            assertThat(scripted.server.take()).isEqualTo(query(sql));
            scripted.server(inTransaction);
            assertThat(scripted.client.take()).isEqualTo(inTransaction);
        }
        passes(scripted, query("COMMIT"));
        passesBehindTheUndoing(scripted, query("INSERT INTO t VALUES (1)"));
        scripted.finish();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void pipelinedCommandsFollowTheUndoing(boolean reset) {
        Scripted scripted = new Scripted(Memory.direct(), new Faulty()).loggedIn(Scripted.CLASSIC);
        passes(scripted, query("onCommand"));
        if (reset) {
            passes(scripted, Bytes.command(CommandCode.RESET_CONNECTION, ""));
            passes(scripted, query("INSERT INTO t VALUES (1)"));
        } else {
            byte[] first = query("INSERT INTO t VALUES (1)");
            byte[] second = query("INSERT INTO t VALUES (2)");
            scripted.client(first, second);
            assertThat(scripted.server.take()).isEqualTo(concat(UNDO, first, second));
            scripted.server(OK, OK, OK);
            assertThat(scripted.client.take()).isEqualTo(concat(OK, OK));
        }
        scripted.finish();
    }

    /** Whatever it threw, it gets to free what it has. */
    @Test
    void aRemovedObserverThatThrowsIsClosed() {
        List<String> closed = new ArrayList<>();
        Scripted scripted = new Scripted(Memory.direct(), new Watcher(Watcher.ALL) {
                    @Override
                    public @Nullable InjectedStatement onRemoved() {
                        throw new IllegalStateException("on purpose, in onRemoved");
                    }

                    @Override
                    public void onClose(String reason) {
                        closed.add(reason);
                    }
                })
                .loggedIn(Scripted.CLASSIC);
        scripted.session.leave(List.of("p0"));
        assertThat(closed).containsExactly("removed");
        passes(scripted, query("INSERT INTO t VALUES (1)"));
        scripted.finish();
    }
}
