package io.understudy.session;

import static io.understudy.testkit.Bytes.concat;
import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.Interest;
import io.understudy.plugin.SessionVariable;
import io.understudy.plugin.VariableValue;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An observer that throws is retired, and its variables are set back. */
class RetiredObserverTest {
    private static final int AC = ServerStatus.AUTOCOMMIT;
    private static final byte[] OK = packet(1, ok(0, AC));
    private static final VariableValue ZERO = new VariableValue(0, "SET @a = 0", "test");
    private static final VariableValue ONE = new VariableValue(1, "SET @a = 1", "test");
    private static final byte[] SET = Bytes.command(CommandCode.QUERY, "SET @a = 1");
    private static final byte[] UNDO = Bytes.command(CommandCode.QUERY, "SET @a = 0");

    private static byte[] query(String sql) {
        return Bytes.command(CommandCode.QUERY, sql);
    }

    /** Throws at the statement that names the callback. */
    private static class Faulty extends Watcher {
        private final SessionVariable variable =
                new SessionVariable(List.of("@a"), ZERO, SessionVariable.Listener.NONE);

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
        public List<SessionVariable> variables() {
            return List.of(variable);
        }

        @Override
        public void chooseVariables(CommandView command, boolean atBoundary) {
            variable.want(ONE);
            fail("chooseVariables", command);
        }
    }

    private static void passes(Scripted scripted, byte[] command) {
        scripted.client(command);
        assertThat(scripted.server.take()).isEqualTo(command);
        scripted.server(OK);
        assertThat(scripted.client.take()).isEqualTo(OK);
    }

    private static Scripted away(Faulty observer) {
        Scripted scripted = new Scripted(Memory.direct(), observer).loggedIn(Scripted.CLASSIC);
        passesBehind(SET, scripted, query("INSERT INTO t VALUES (0)"));
        return scripted;
    }

    private static void passesBehindTheUndoing(Scripted scripted, byte[] command) {
        passesBehind(UNDO, scripted, command);
    }

    private static void passesBehind(byte[] injected, Scripted scripted, byte[] command) {
        scripted.client(command);
        assertThat(scripted.server.take()).isEqualTo(concat(injected, command));
        scripted.server(OK, OK);
        assertThat(scripted.client.take()).isEqualTo(OK);
    }

    @Test
    void itsVariablesAreSetBackBeforeTheNextCommand() {
        Faulty observer = new Faulty();
        Scripted scripted = away(observer);
        passes(scripted, query("onCommand"));
        assertThat(observer.closings).containsExactly("retired");
        passesBehindTheUndoing(scripted, query("INSERT INTO t VALUES (1)"));
        passes(scripted, query("onCommand"));
        scripted.finish();
        assertThat(observer.closings).hasSize(1);
    }

    @Test
    void itsVariablesAreSetBackBeforeTheCommandAtWhichItFailed() {
        Scripted scripted = away(new Faulty());
        passesBehindTheUndoing(scripted, query("chooseVariables"));
        passes(scripted, query("INSERT INTO t VALUES (1)"));
        scripted.finish();
    }

    @Test
    void itsVariablesAreNotSetBackInsideATransaction() {
        Scripted scripted = away(new Faulty());
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
        Scripted scripted = away(new Faulty());
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

    /** A client's own value is left alone, also where it was set before the variable could be set back. */
    @Test
    void aValueThatTheClientHasSetIsNotSetBack() {
        Scripted scripted = away(new Faulty());
        byte[] inTransaction = packet(1, ok(0, AC | ServerStatus.IN_TRANS));
        for (String sql : new String[] {"BEGIN", "SET @A = 5"}) {
            scripted.client(query(sql));
            assertThat(scripted.server.take()).isEqualTo(query(sql));
            scripted.server(inTransaction);
            assertThat(scripted.client.take()).isEqualTo(inTransaction);
        }
        passes(scripted, query("COMMIT"));
        passes(scripted, query("onCommand"));
        passes(scripted, query("INSERT INTO t VALUES (1)"));
        scripted.finish();
    }

    @Test
    void theVariablesOfARemovedObserverAreSetBack() {
        Faulty observer = new Faulty();
        Scripted scripted = away(observer);
        scripted.session.leave(List.of("p0"));
        assertThat(observer.closings).containsExactly("removed");
        passesBehindTheUndoing(scripted, query("INSERT INTO t VALUES (1)"));
        scripted.finish();
    }

    /** Its callback is the last one, whatever becomes of it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRemovedObserverThatThrowsIsClosed(boolean removed) {
        Faulty observer = new Faulty() {
            @Override
            public void onClose(String reason) {
                super.onClose(reason);
                throw new IllegalStateException("on purpose, in onClose");
            }
        };
        Scripted scripted = away(observer);
        if (removed) {
            scripted.session.leave(List.of("p0"));
        } else {
            passes(scripted, query("onCommand"));
        }
        passesBehindTheUndoing(scripted, query("INSERT INTO t VALUES (1)"));
        passes(scripted, query("onCommand"));
        scripted.finish();
        assertThat(observer.closings).containsExactly(removed ? "removed" : "retired");
    }
}
