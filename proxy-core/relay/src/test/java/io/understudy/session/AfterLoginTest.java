package io.understudy.session;

import static io.understudy.testkit.Bytes.concat;
import static io.understudy.testkit.Bytes.err;
import static io.understudy.testkit.Bytes.of;
import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.Interest;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A statement injected right after the login, and client commands that arrive meanwhile. */
@ExtendWith(LeakCheck.class)
class AfterLoginTest {
    private static final int AC = ServerStatus.AUTOCOMMIT;
    private static final String SET = "SET SESSION gtid_domain_id=0";
    private static final byte[] INJECTED = Bytes.command(CommandCode.QUERY, SET);
    private static final byte[] THEIRS = Bytes.command(CommandCode.QUERY, "INSERT INTO t VALUES (1)");
    private static final byte[] PING = Bytes.command(CommandCode.PING, "");

    private final Watcher watcher = new Watcher(Watcher.ALL | Interest.BOUNDARY);
    private final Scripted scripted = new Scripted(Memory.direct(), watcher);

    /** Logs in; the client has sent {@code early} directly after its last authentication packet. */
    private void logIn(byte[] early) {
        watcher.probeFirst(SET);
        scripted.connectServer();
        scripted.server(packet(0, Scripted.handshakeV10(Scripted.CLASSIC, "8.4.0")));
        scripted.client(packet(1, Scripted.handshakeResponse(Scripted.CLASSIC, "app", null)), early);
        scripted.server.take();
        scripted.client.take();
        byte[] accepted = packet(2, ok(0, AC));
        scripted.server(accepted);
        assertThat(scripted.client.take()).isEqualTo(accepted);
        assertThat(scripted.server.take()).isEqualTo(INJECTED);
    }

    @Test
    void theClientsFirstCommandsWaitForTheResponse() {
        logIn(new byte[0]);
        scripted.client(Bytes.slice(THEIRS, 0, 7));
        scripted.client(Bytes.slice(THEIRS, 7, THEIRS.length), PING);
        assertThat(scripted.server.take()).isEmpty();
        assertThat(watcher.beforeCommandCalls).isZero();

        scripted.server(packet(1, ok(0, AC)));

        assertThat(watcher.injected).containsExactly(InjectionResult.OK);
        assertThat(scripted.server.take()).isEqualTo(concat(THEIRS, PING));
        assertThat(scripted.client.take()).isEmpty();
        byte[] responses = concat(packet(1, ok(1, AC)), packet(1, ok(0, AC)));
        scripted.server(responses);
        assertThat(scripted.client.take()).isEqualTo(responses);
        scripted.client(THEIRS);
        assertThat(scripted.server.take()).isEqualTo(THEIRS);
        scripted.finish();
    }

    @Test
    void commandsSentWithTheLoginWaitForTheResponse() {
        logIn(THEIRS);
        scripted.server(packet(1, err(1227, "no")));
        assertThat(watcher.injected).containsExactly(new InjectionResult(1227, "no"));
        assertThat(scripted.server.take()).isEqualTo(THEIRS);
        assertThat(scripted.client.take()).isEmpty();
        scripted.finish();
    }

    @Test
    void commandsAfterTheResponseAreNotHeld() {
        logIn(new byte[0]);
        scripted.server(packet(1, ok(0, AC)));
        scripted.client(THEIRS);
        assertThat(scripted.server.take()).isEqualTo(THEIRS);
        scripted.finish();
    }

    @Test
    void commandsOfAClientThatShutItsOutputAreReleased() {
        logIn(new byte[0]);
        scripted.client(THEIRS);
        scripted.session.clientShutOutput();
        assertThat(scripted.server.take()).isEqualTo(THEIRS);
        assertThat(scripted.server.outputShut()).isTrue();
        scripted.server(packet(1, ok(0, AC)), packet(1, ok(1, AC)));
        assertThat(scripted.client.take()).isEqualTo(packet(1, ok(1, AC)));
        assertThat(scripted.closed("client_closed")).isEqualTo(1);
        scripted.finish();
    }

    @Test
    void heldCommandsAreReleasedWithTheSession() {
        logIn(THEIRS);
        scripted.client(THEIRS);
        scripted.session.serverClosed();
        assertThat(scripted.server.take()).isEmpty();
        scripted.finish();
    }

    @Test
    void aDrainingSessionEndsAfterTheInjectedStatementsResponse() {
        logIn(new byte[0]);
        scripted.session.drain();
        assertThat(scripted.session.ended()).isFalse();
        scripted.server(packet(1, ok(0, AC)));
        assertThat(scripted.closed("drained")).isEqualTo(1);
        scripted.finish();
    }

    @Test
    void aSessionIsHeldAfterTheInjectedStatementsResponse() {
        scripted.environment.hold().begin();
        logIn(new byte[0]);
        scripted.client(THEIRS);
        assertThat(scripted.session.held()).isFalse();
        scripted.server(packet(1, ok(0, AC)));
        assertThat(scripted.session.held()).isTrue();
        assertThat(scripted.server.take()).isEmpty();
        assertThat(scripted.client.reading()).isFalse();
        scripted.environment.hold().end();
        scripted.session.release();
        assertThat(scripted.server.take()).isEqualTo(THEIRS);
        scripted.finish();
    }

    /** It has not been executed, and the client is told so. */
    @Test
    void aCommandThatWaitsIsNotSentToAFormerPrimary() {
        logIn(new byte[0]);
        scripted.client(THEIRS);
        scripted.primaryChanges();
        assertThat(scripted.session.ended()).isFalse();
        scripted.server(packet(1, ok(0, AC)));
        assertThat(scripted.server.take()).isEmpty();
        assertThat(scripted.closed("primary_changed")).isEqualTo(1);
        assertThat(new String(scripted.client.take(), StandardCharsets.ISO_8859_1))
                .contains("#08S01");
        scripted.finish();
    }

    @Test
    void malformedBytesFollowTheInjectedStatement() {
        logIn(new byte[0]);
        scripted.client(packet(9, THEIRS));
        scripted.server(packet(1, ok(0, AC)));
        assertThat(scripted.client.take()).isEmpty();
        assertThat(scripted.server.take()).isEqualTo(packet(9, THEIRS));
        assertThat(scripted.unread("command_number")).isEqualTo(1);
        scripted.finish();
    }

    @Test
    void aMalformedResponseToTheInjectedStatementReleasesHeldCommands() {
        logIn(new byte[0]);
        scripted.client(THEIRS);
        scripted.server(packet(1, of(0)));
        assertThat(scripted.client.take()).isEmpty();
        assertThat(scripted.client.reading()).isTrue();
        assertThat(scripted.server.take()).isEqualTo(THEIRS);
        scripted.server(packet(1, ok(3, AC)));
        assertThat(scripted.client.take()).isEqualTo(packet(1, ok(3, AC)));
        assertThat(scripted.unread("ok_packet")).isEqualTo(1);
        scripted.finish();
    }
}
