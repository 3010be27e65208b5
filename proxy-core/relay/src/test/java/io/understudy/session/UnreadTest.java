package io.understudy.session;

import static io.understudy.testkit.Bytes.concat;
import static io.understudy.testkit.Bytes.definition;
import static io.understudy.testkit.Bytes.of;
import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.Interest;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.CapturedLog;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes that violate the protocol switch their session to relaying unread, without ending it. */
class UnreadTest {
    private static final int AC = ServerStatus.AUTOCOMMIT;
    private static final byte[] QUERY = Bytes.command(CommandCode.QUERY, "SELECT a FROM t WHERE b = 1");
    private static final byte[] INJECTED = Bytes.command(CommandCode.QUERY, "SET @a = 1");

    @AfterContainer
    static void nothingLeaked() {
        assertThat(LeakCheck.collect()).isEmpty();
    }

    private static Watcher injecting() {
        Watcher watcher = new Watcher(Watcher.ALL | Interest.BOUNDARY);
        watcher.next = new InjectedStatement("SET @a = 1", "test");
        return watcher;
    }

    private static Scripted loggedIn(Watcher watcher) {
        return new Scripted(Memory.direct(), watcher).loggedIn(Scripted.CLASSIC);
    }

    /**
     * Asserts that any bytes pass in both directions, that the observer is told once, and that the end is counted as
     * usual.
     */
    private static void passes(Scripted scripted, Watcher watcher) {
        assertThat(watcher.closings).containsExactly("unread");
        int told = watcher.commands.size()
                + watcher.responses.size()
                + watcher.beforeCommandCalls
                + watcher.injected.size();
        for (byte[] bytes : List.of(QUERY, of(7), packet(3, of(0xFF, 1, 2)), of(0, 0, 0))) {
            scripted.client(bytes);
            assertThat(scripted.server.take()).isEqualTo(bytes);
            scripted.server(bytes);
            assertThat(scripted.client.take()).isEqualTo(bytes);
        }
        assertThat(watcher.commands.size()
                        + watcher.responses.size()
                        + watcher.beforeCommandCalls
                        + watcher.injected.size())
                .isEqualTo(told);
        assertThat(scripted.session.loggedIn()).isTrue();
        assertThat(scripted.client.reading()).isTrue();
        assertThat(scripted.server.leastRead()).isEqualTo(1);
        assertThat(scripted.session.view())
                .containsEntry("phase", "relaying unread")
                .containsEntry("user", "app");
        scripted.session.serverClosed();
        assertThat(scripted.closed("server_closed")).isEqualTo(1);
        assertThat(watcher.closings).hasSize(1);
        scripted.finish();
    }

    /** The server's log and process list name the session by its thread id. */
    @Test
    void theLogNamesTheServersThread() {
        Scripted scripted = loggedIn(new Watcher(Watcher.ALL));
        byte[] bad = QUERY.clone();
        bad[3] = 9;
        try (CapturedLog log = new CapturedLog()) {
            scripted.client(bad);
            assertThat(log.text()).contains("relayed unread", "serverThreadId=4711");
        }
        scripted.server.take();
        scripted.finish();
    }

    /** As MySQL 9.7 does it: COM_CLONE and its OK, then the donor's packets, with which no command is due. */
    @Test
    void aCloneIsRelayedUnreadAndNoFault() {
        Watcher watcher = new Watcher(Watcher.ALL);
        Scripted scripted = loggedIn(watcher);
        byte[] data = packet(0, of(3, 1, 2));
        try (CapturedLog log = new CapturedLog()) {
            scripted.client(packet(0, of(CommandCode.CLONE)));
            scripted.server(packet(1, ok(0, AC)));
            scripted.server.take();
            scripted.client.take();
            scripted.server(data);
            assertThat(log.text()).contains("another server clones this one").doesNotContain("WARN");
        }
        assertThat(scripted.client.take()).isEqualTo(data);
        assertThat(scripted.unread("clone")).isEqualTo(1);
        passes(scripted, watcher);
    }

    @Test
    void aCommandWithAWrongSequenceNumberIsRelayedUnread() {
        Watcher watcher = new Watcher(Watcher.ALL);
        Scripted scripted = loggedIn(watcher);
        byte[] bad = QUERY.clone();
        bad[3] = 9;
        scripted.client(QUERY, bad, QUERY);
        assertThat(scripted.server.take()).isEqualTo(concat(QUERY, bad, QUERY));
        assertThat(watcher.commands).containsExactly(CommandCode.QUERY);
        assertThat(scripted.unread("command_number")).isEqualTo(1);
        passes(scripted, watcher);
    }

    static List<byte[]> beginnings() {
        return List.of(packet(1, of(0xFC, 1)), packet(1, of(0)), packet(1, of()));
    }

    static List<byte[]> responses() {
        List<byte[]> all = new ArrayList<>(beginnings());
        all.add(concat(packet(1, ok(0, AC)), packet(2, ok(0, AC))));
        all.add(concat(
                packet(1, of(1)),
                packet(2, definition("a")),
                packet(3, of(0xFE)),
                packet(4, Bytes.eof(AC)),
                packet(5, of(3))));
        return all;
    }

    @ParameterizedTest
    @MethodSource("responses")
    void aMalformedResponseIsRelayedUnread(byte[] response) {
        Watcher watcher = new Watcher(Watcher.ALL);
        Scripted scripted = loggedIn(watcher);
        scripted.client(QUERY);
        scripted.server.take();
        scripted.server(response, of(3, 0));
        assertThat(scripted.client.take()).isEqualTo(concat(response, of(3, 0)));
        passes(scripted, watcher);
    }

    /**
     * However the packets are cut, the client gets the response to its own statement and nothing of the injected one.
     */
    @ParameterizedTest
    @MethodSource("beginnings")
    void aMalformedResponseToAnInjectedStatementIsRemoved(byte[] response) {
        byte[] theirs = concat(
                packet(1, of(1)),
                packet(2, definition("a")),
                packet(3, Bytes.eof(AC)),
                packet(4, of(1, 65)),
                packet(5, Bytes.eof(AC)));
        byte[] all = concat(response, theirs);
        for (int cut = 0; cut <= all.length; cut++) {
            Watcher watcher = injecting();
            Scripted scripted = loggedIn(watcher);
            scripted.client(QUERY);
            assertThat(scripted.server.take()).isEqualTo(concat(INJECTED, QUERY));
            scripted.server(Bytes.slice(all, 0, cut));
            scripted.server(Bytes.slice(all, cut, all.length));
            assertThat(scripted.session.ended()).isFalse();
            assertThat(scripted.client.take()).as("cut at %d", cut).isEqualTo(theirs);
            scripted.finish();
        }
    }

    @Test
    void theInjectedResponseIsRemovedWhenAClientsPacketIsMalformed() {
        Watcher watcher = injecting();
        Scripted scripted = loggedIn(watcher);
        byte[] bad = QUERY.clone();
        bad[3] = 2;
        scripted.client(QUERY);
        scripted.client(bad);
        assertThat(scripted.server.take()).isEqualTo(concat(INJECTED, QUERY, bad));
        scripted.server(Bytes.slice(packet(1, ok(0, AC)), 0, 6));
        scripted.server(Bytes.slice(packet(1, ok(0, AC)), 6, 11), of(7, 0));
        scripted.server(of(0, 1), ok(2, AC));
        assertThat(scripted.client.take()).isEqualTo(packet(1, ok(2, AC)));
        passes(scripted, watcher);
    }

    /** An incomplete statement is held for observers. It is released when the session is relayed unread. */
    @Test
    void aHeldStatementIsReleased() {
        Watcher watcher = injecting();
        Scripted scripted = loggedIn(watcher);
        scripted.client(Bytes.slice(QUERY, 0, 9));
        assertThat(scripted.server.take()).isEmpty();
        scripted.server(packet(1, of(0xFC, 1)));
        assertThat(scripted.server.take()).isEqualTo(Bytes.slice(QUERY, 0, 9));
        assertThat(scripted.unread("response_start")).isEqualTo(1);
        scripted.client(Bytes.slice(QUERY, 9, QUERY.length));
        assertThat(scripted.server.take()).isEqualTo(Bytes.slice(QUERY, 9, QUERY.length));
        scripted.client.take();
        passes(scripted, watcher);
    }

    @Test
    void aPausedClientIsReadAgain() {
        Watcher watcher = new Watcher(Watcher.ALL);
        Scripted scripted = loggedIn(watcher);
        for (int i = 0; i < 1024; i++) {
            scripted.client(Bytes.command(CommandCode.PING, ""));
        }
        assertThat(scripted.client.reading()).isFalse();
        scripted.server.take();
        scripted.server(packet(1, of(0)), packet(1, ok(0, AC)), packet(1, of(0, 0)));
        scripted.client.take();
        scripted.server(packet(1, of(0xFE, 3)), packet(2, of(0, 1)));
        assertThat(scripted.client.reading()).isTrue();
        scripted.client.take();
        scripted.finish();
    }

    /** The server ends the session, as on a direct connection; what it sends before that is delivered. */
    @Test
    void aClientWithAClosedOutputGetsTheRest() {
        Watcher watcher = new Watcher(Watcher.ALL);
        Scripted scripted = loggedIn(watcher);
        scripted.server(packet(1, of(3)));
        scripted.session.clientShutOutput();
        assertThat(scripted.server.outputShut()).isTrue();
        scripted.client.take();
        scripted.server(packet(1, of(3)));
        assertThat(scripted.client.take()).isEqualTo(packet(1, of(3)));
        scripted.session.serverClosed();
        scripted.finish();
    }

    @Test
    void aDrainEndsItAtItsTimeout() {
        Watcher watcher = new Watcher(Watcher.ALL);
        Scripted scripted = loggedIn(watcher);
        scripted.server(packet(1, of(3)));
        scripted.session.drain();
        assertThat(scripted.session.ended()).isFalse();
        scripted.session.drainNow();
        assertThat(scripted.closed("drain_timeout")).isEqualTo(1);
        scripted.finish();
    }

    /** The client's password is secure on one leg only, in the form in which the client would send it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void betweenUnlikeLegsCommandsPassAndChangeUserIsRefused(boolean clientsLegIsSafe) {
        Watcher watcher = new Watcher(Watcher.ALL);
        Scripted scripted = new Scripted(Memory.direct(), watcher);
        (clientsLegIsSafe ? scripted.client : scripted.server).beLocal();
        scripted.loggedIn(Scripted.CLASSIC);
        scripted.server(packet(1, of(3)));
        scripted.client.take();
        scripted.client(QUERY, packet(0, of(CommandCode.PING)));
        assertThat(scripted.server.take()).isEqualTo(concat(QUERY, packet(0, of(CommandCode.PING))));
        scripted.client(packet(255, of(1)), packet(0, of(CommandCode.CHANGE_USER)));
        assertThat(scripted.session.ended()).as("the 257th packet of a file").isFalse();
        scripted.server.take();
        scripted.client(packet(0, of(CommandCode.CHANGE_USER, 'a', 0)));
        assertThat(scripted.server.take()).isEmpty();
        assertThat(scripted.closed("client_malformed")).isEqualTo(1);
        scripted.finish();
    }

    /** Each side receives what the other sends, except an incomplete packet header. */
    @Property(tries = 400)
    void noByteIsLost(@ForAll List<byte[]> pieces, @ForAll boolean clientFirst) {
        Scripted scripted = new Scripted(Memory.heap(), new Watcher(Watcher.ALL)).loggedIn(Scripted.CLASSIC);
        byte[] fromClient = new byte[0];
        byte[] fromServer = new byte[0];
        boolean client = clientFirst;
        for (byte[] piece : pieces) {
            if (client) {
                scripted.client(piece);
                fromClient = concat(fromClient, piece);
            } else {
                scripted.server(piece);
                fromServer = concat(fromServer, piece);
            }
            client = !client;
        }
        boolean unread = scripted.session.phaseName().equals("relaying unread");
        assertThat(scripted.session.ended()).isFalse();
        arrived(scripted.server.take(), fromClient, unread);
        arrived(scripted.client.take(), fromServer, unread);
        scripted.finish();
    }

    private static void arrived(byte[] got, byte[] sent, boolean unread) {
        assertThat(sent.length - got.length).isBetween(0, unread ? 0 : 4);
        assertThat(got).isEqualTo(Bytes.slice(sent, 0, got.length));
    }
}
