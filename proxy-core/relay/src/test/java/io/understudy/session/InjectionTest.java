package io.understudy.session;

import static io.understudy.testkit.Bytes.concat;
import static io.understudy.testkit.Bytes.definition;
import static io.understudy.testkit.Bytes.eof;
import static io.understudy.testkit.Bytes.err;
import static io.understudy.testkit.Bytes.int2;
import static io.understudy.testkit.Bytes.int4;
import static io.understudy.testkit.Bytes.of;
import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.packet;
import static io.understudy.testkit.Bytes.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.Interest;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(LeakCheck.class)
class InjectionTest {
    private static final int AC = ServerStatus.AUTOCOMMIT;
    private static final String SET = "SET @@session.gtid_domain_id=7";
    private static final byte[] INJECTED = Bytes.command(CommandCode.QUERY, SET);
    private static final byte[] CLIENTS = Bytes.command(CommandCode.QUERY, "INSERT INTO t VALUES (1)");

    private final Watcher watcher = new Watcher(Watcher.ALL | Interest.BOUNDARY);
    private final Scripted scripted = new Scripted(Memory.direct(), watcher);

    private void start(long capabilities) {
        scripted.loggedIn(capabilities);
        watcher.next = new InjectedStatement(SET, "domain");
    }

    @AfterEach
    void nothingIsKept() {
        scripted.finish();
    }

    /** Returns whether a statement is injected before {@code command}. Both get their responses. */
    private boolean preceded(byte[] command) {
        scripted.client(command);
        byte[] sent = scripted.server.take();
        boolean injected = sent.length > command.length;
        assertThat(sent).isEqualTo(injected ? concat(INJECTED, command) : command);
        if (injected) {
            scripted.server(packet(1, ok(0, AC)));
            assertThat(scripted.client.take()).isEmpty();
        }
        return injected;
    }

    private void response(byte[] payload) {
        scripted.server(packet(1, payload));
        assertThat(scripted.client.take()).isEqualTo(packet(1, payload));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Capabilities.DEPRECATE_EOF})
    void theInjectedStatementsResponseIsRemovedHoweverItIsCut(long eofMode) {
        start(Scripted.CLASSIC | eofMode);
        byte[] end = eofMode == 0 ? eof(AC) : ok(0xFE, 0, AC, 0);
        byte[] rows = concat(
                packet(1, of(1)),
                packet(2, definition("a")),
                eofMode == 0 ? packet(3, eof(AC)) : new byte[0],
                packet(4, Bytes.shortString("v")),
                packet(5, end));
        byte[] theirResponse = packet(1, ok(1, AC));
        byte[][] injectedResponse = {
            packet(1, ok(0, AC)), packet(1, ok(0, 0, AC, 3)), packet(1, err(1193, "unknown")), rows
        };
        int injected = 0;
        for (byte[] response : injectedResponse) {
            byte[] both = concat(response, theirResponse);
            for (int cut = 0; cut < both.length; cut++) {
                scripted.client(CLIENTS);
                assertThat(scripted.server.take()).isEqualTo(concat(INJECTED, CLIENTS));
                scripted.server(Bytes.slice(both, 0, cut));
                scripted.server(Bytes.slice(both, cut, both.length));
                assertThat(scripted.client.take()).isEqualTo(theirResponse);
                assertThat(watcher.injected).hasSize(++injected);
            }
        }
        assertThat(watcher.injected).contains(InjectionResult.OK, new InjectionResult(1193, "unknown"));
        assertThat(watcher.responses).hasSize(injected);
        assertThat(scripted.model().commands()).isEqualTo(injected);
    }

    /**
     * The error is the unknown command's, and the statement behind it waits for the next boundary with its injection.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void nothingIsInjectedBehindAnUnknownCommandWithoutAResponse(int unknown) {
        start(Scripted.CLASSIC);
        byte[] refused = packet(1, err(1047, "Unknown command"));
        byte[] prepare = Bytes.command(CommandCode.STMT_PREPARE, "SELECT 1");
        byte[] prepared = packet(1, concat(of(0), int4(1), int2(0), int2(0), of(0), int2(0)));
        for (int i = 0; i < unknown; i++) {
            scripted.client(Bytes.command(0x7F, ""));
        }
        scripted.client(CLIENTS, prepare);
        scripted.server.take();
        assertThat(watcher.beforeCommandCalls).isZero();
        for (int i = 0; i < unknown; i++) {
            response(err(1047, "Unknown command"));
        }
        response(ok(1, AC));
        scripted.server(prepared);
        assertThat(scripted.client.take()).isEqualTo(prepared);
        assertThat(watcher.injected).isEmpty();
        assertThat(watcher.responses).hasSize(unknown + 2);
        assertThat(preceded(CLIENTS)).isTrue();
        response(ok(1, AC));
        scripted.client(Bytes.command(0x7F, ""));
        scripted.server.take();
        scripted.server(refused);
        assertThat(scripted.client.take()).isEqualTo(refused);
        assertThat(preceded(CLIENTS)).isTrue();
        response(ok(1, AC));
    }

    /** A server that knows the command may send a response to it, or none: what is in flight is not known any more. */
    @Test
    void nothingIsInjectedOnceAResponseIsInDoubt() {
        start(Scripted.CLASSIC);
        scripted.client(Bytes.command(0x7F, ""), CLIENTS);
        scripted.server.take();
        response(ok(0, AC));
        assertThat(preceded(CLIENTS)).isFalse();
        response(ok(1, AC));
        response(ok(1, AC));
        assertThat(preceded(CLIENTS)).isFalse();
        response(ok(1, AC));
    }

    @Test
    void theSessionIsNotCalledForTheInjectedResponseAlone() {
        start(Scripted.CLASSIC);
        byte[] injectedResponse = packet(1, ok(0, AC));
        byte[] theirResponse = packet(1, ok(1, AC));
        scripted.client(CLIENTS);
        assertThat(scripted.server.leastRead()).isEqualTo(injectedResponse.length + 1);
        scripted.server(injectedResponse, theirResponse);
        scripted.client(Bytes.command(CommandCode.PING, ""));
        assertThat(scripted.server.leastRead())
                .as("for a response to a client command alone")
                .isEqualTo(1);
        scripted.server(theirResponse);

        scripted.client(CLIENTS);
        scripted.server(packet(1, err(1193, "unknown")));
        assertThat(scripted.server.leastRead())
                .as("for the second response, after the first")
                .isEqualTo(1);
        scripted.server(theirResponse);
        scripted.client(CLIENTS);
        scripted.server(injectedResponse, Bytes.slice(theirResponse, 0, 5));
        assertThat(scripted.server.leastRead()).as("for the rest of a response").isEqualTo(1);
        scripted.server(Bytes.slice(theirResponse, 5, theirResponse.length));
    }

    @Test
    void theStatementIsHeldHoweverItIsCut() {
        start(Scripted.CLASSIC);
        for (int cut = 0; cut < CLIENTS.length; cut++) {
            scripted.client(Bytes.slice(CLIENTS, 0, cut));
            assertThat(scripted.server.take()).isEmpty();
            scripted.client(Bytes.slice(CLIENTS, cut, CLIENTS.length));
            assertThat(scripted.server.take()).isEqualTo(concat(INJECTED, CLIENTS));
            scripted.server(packet(1, ok(0, AC)), packet(1, ok(1, AC)));
        }
    }

    @Test
    void onlyTheFirstOfAPipelineIsPreceded() {
        start(Scripted.CLASSIC);
        scripted.client(CLIENTS, CLIENTS, CLIENTS);
        assertThat(scripted.server.take()).isEqualTo(concat(INJECTED, CLIENTS, CLIENTS, CLIENTS));
        byte[] responses = concat(packet(1, ok(1, AC)), packet(1, ok(2, AC)), packet(1, ok(3, AC)));
        scripted.server(packet(1, ok(0, AC)), responses);
        assertThat(scripted.client.take()).isEqualTo(responses);
        assertThat(watcher.responses).extracting(Watcher.Seen::affected).containsExactly(1L, 2L, 3L);
    }

    @Test
    void notInATransaction() {
        start(Scripted.CLASSIC);
        assertThat(preceded(Bytes.command(CommandCode.QUERY, "BEGIN"))).isTrue();
        response(ok(0, AC | ServerStatus.IN_TRANS));
        assertThat(preceded(CLIENTS)).isFalse();
        response(ok(1, AC | ServerStatus.IN_TRANS));
        assertThat(preceded(Bytes.command(CommandCode.QUERY, "COMMIT"))).isFalse();
        response(ok(0, AC));
        assertThat(preceded(CLIENTS)).isTrue();
        response(ok(0, AC));
    }

    @Test
    void notAfterAnErrorThatMayHaveLeftATransactionOpen() {
        start(Scripted.CLASSIC);
        byte[] call = Bytes.command(CommandCode.QUERY, "CALL p()");
        assertThat(preceded(call)).isTrue();
        response(err(1062, "duplicate"));
        assertThat(preceded(CLIENTS)).isFalse();
        response(ok(0, AC));
        assertThat(preceded(CLIENTS)).isTrue();
        response(err(1062, "duplicate"));
        assertThat(preceded(CLIENTS))
                .as("a plain statement under autocommit leaves none")
                .isTrue();
        response(ok(0, AC));
    }

    @Test
    void notWithACursorOpenOrLongDataPending() {
        start(Scripted.CLASSIC | Capabilities.DEPRECATE_EOF);
        byte[] prepared = concat(of(0), int4(1), int2(0), int2(0), of(0, 0, 0));
        byte[] run = Bytes.command(CommandCode.STMT_EXECUTE, concat(int4(1), of(1), int4(1)));
        scripted.client(Bytes.command(CommandCode.STMT_PREPARE, "SELECT a FROM t"));
        scripted.server(packet(1, prepared));
        scripted.client.take();
        scripted.server.take();
        assertThat(preceded(run)).isTrue();
        byte[] opened = concat(
                packet(1, of(1)),
                packet(2, definition("a")),
                packet(3, ok(0xFE, 0, AC | ServerStatus.CURSOR_EXISTS, 0)));
        scripted.server(opened);
        assertThat(scripted.client.take()).isEqualTo(opened);
        assertThat(preceded(CLIENTS)).isFalse();
        response(ok(0, AC));
        scripted.client(Bytes.command(CommandCode.STMT_RESET, int4(1)));
        scripted.server.take();
        response(ok(0, AC));
        assertThat(preceded(CLIENTS)).isTrue();
        response(ok(0, AC));
        scripted.client(Bytes.command(CommandCode.STMT_SEND_LONG_DATA, concat(int4(1), int2(0), text("x"))));
        scripted.server.take();
        assertThat(preceded(CLIENTS)).isFalse();
        response(ok(0, AC));
        scripted.client(Bytes.command(CommandCode.STMT_CLOSE, int4(1)));
        scripted.server.take();
        assertThat(preceded(CLIENTS)).isTrue();
        response(ok(0, AC));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SHOW WARNINGS",
                "show errors",
                "SELECT ROW_COUNT()",
                "SELECT FOUND_ROWS()",
                "SELECT @@warning_count",
                "GET DIAGNOSTICS @n = NUMBER"
            })
    void notAheadOfWhatReadsDiagnostics(String sql) {
        start(Scripted.CLASSIC);
        assertThat(preceded(Bytes.command(CommandCode.QUERY, sql))).isFalse();
        response(ok(0, AC));
        assertThat(watcher.beforeCommandCalls).as("it may be refused").isOne();
    }

    @Test
    void notForALimitedAccount() {
        scripted.environment.limitedAccounts().tell(Set.of("app"));
        start(Scripted.CLASSIC);
        assertThat(preceded(CLIENTS)).isFalse();
        response(ok(0, AC));
    }

    @Test
    void notBeforeCommandsThatAreNoStatements() {
        start(Scripted.CLASSIC);
        assertThat(preceded(Bytes.command(CommandCode.PING, ""))).isFalse();
        response(ok(0, AC));
        assertThat(watcher.beforeCommandCalls).isZero();
    }

    @Test
    void withQueryAttributes() {
        start(Scripted.CLASSIC | Capabilities.QUERY_ATTRIBUTES);
        byte[] theirs = Bytes.command(CommandCode.QUERY, concat(of(0, 1), text("SELECT 1")));
        scripted.client(theirs);
        byte[] injected = Bytes.command(CommandCode.QUERY, concat(of(0, 1), text(SET)));
        assertThat(scripted.server.take()).isEqualTo(concat(injected, theirs));
        assertThat(watcher.texts).containsExactly("SELECT 1");
        scripted.server(packet(1, ok(0, AC)));
        response(ok(0, AC));
    }
}
