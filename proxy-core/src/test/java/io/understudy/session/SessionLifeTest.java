package io.understudy.session;

import static io.understudy.testkit.Bytes.definition;
import static io.understudy.testkit.Bytes.of;
import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.packet;
import static io.understudy.testkit.Bytes.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.Interest;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.SessionObserver;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.testkit.Scripted;
import io.understudy.testkit.Watcher;
import io.understudy.wire.CommandCode;
import io.understudy.wire.ServerStatus;
import java.lang.management.ManagementFactory;
import java.security.KeyPairGenerator;
import java.util.Base64;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(LeakCheck.class)
class SessionLifeTest {
    private static final int AC = ServerStatus.AUTOCOMMIT;
    private static final byte[] QUERY = Bytes.command(CommandCode.QUERY, "SELECT a FROM t WHERE b = 1");

    private final Watcher watcher = new Watcher(Watcher.ALL);

    private Scripted loggedIn() {
        return new Scripted(Memory.direct(), watcher).loggedIn(Scripted.CLASSIC);
    }

    private void over(Scripted scripted, String reason) {
        assertThat(scripted.session.ended()).isTrue();
        assertThat(scripted.closed(reason)).isEqualTo(1);
        assertThat(watcher.closings).containsExactly(reason);
        assertThat(scripted.server.closed()).isTrue();
        scripted.server.take();
        scripted.client(QUERY);
        scripted.server(QUERY);
        assertThat(scripted.server.take()).isEmpty();
        scripted.finish();
        assertThat(watcher.closings).hasSize(1);
    }

    @Test
    void aClientsCloseEndsTheSession() {
        Scripted scripted = loggedIn();
        scripted.session.clientClosed(false);
        over(scripted, "client_closed");
    }

    /** Failures of either leg that are not input or output errors are reported to the client and counted by cause. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void failuresBelowTheSessionAreCountedByCause(boolean ofServer) {
        failed(ofServer, new OutOfMemoryError("Cannot reserve 65536 bytes of direct buffer memory"), "out_of_memory");
        failed(ofServer, new IllegalStateException("as no code of the proxy should"), "internal_error");
        failed(ofServer, new SSLException("bad record"), ofServer ? "server_tls_failed" : "client_tls_failed");
    }

    private void failed(boolean ofServer, Throwable cause, String reason) {
        watcher.closings.clear();
        Scripted scripted = loggedIn();
        if (ofServer) {
            scripted.session.serverFailed(cause);
        } else {
            scripted.session.clientFailed(cause);
        }
        over(scripted, reason);
    }

    @Test
    void aClientWithAClosedOutputGetsItsResponses() {
        Scripted scripted = loggedIn();
        scripted.client(QUERY);
        scripted.client(QUERY);
        scripted.session.clientShutOutput();
        assertThat(scripted.server.outputShut()).isTrue();
        scripted.server(packet(1, ok(0, AC)));
        assertThat(scripted.session.ended()).isFalse();
        scripted.server(packet(1, ok(0, AC)));
        over(scripted, "client_closed");
    }

    /**
     * As by a server, which reads the login and what came with it before the end of its input.
     *
     * @param apart whether the OK_Packet comes apart from fast_auth_success
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClientThatShutsItsOutputBehindItsLoginIsServed(boolean apart) {
        Scripted scripted = loggingIn();
        scripted.client(packet(1, Scripted.handshakeResponse(Scripted.CLASSIC, "app", null)), QUERY);
        scripted.session.clientShutOutput();
        assertThat(scripted.session.pipelined()).isTrue();
        assertThat(scripted.session.ended()).isFalse();
        assertThat(scripted.server.outputShut()).isFalse();
        scripted.server.take();
        if (apart) {
            scripted.server(packet(2, new byte[] {1, 3}));
            assertThat(scripted.session.ended()).isFalse();
            assertThat(scripted.session.pipelined()).isTrue();
        }
        scripted.server(packet(apart ? 3 : 2, ok(0, AC)));
        assertThat(scripted.server.take()).isEqualTo(QUERY);
        assertThat(scripted.server.outputShut()).isTrue();
        scripted.client.take();
        scripted.server(packet(1, ok(0, AC)));
        assertThat(scripted.client.take()).isEqualTo(packet(1, ok(0, AC)));
        over(scripted, "client_closed");
    }

    /** The proxy asks an insecure server for its key: between its packets the server is due although it spoke last. */
    @Test
    void aClientWhosePasswordIsTranslatedMayShutItsOutput() throws Exception {
        Scripted scripted = new Scripted(Memory.direct(), watcher);
        scripted.client.beLocal();
        fullAuthentication(scripted);
        scripted.client(packet(5, text("secret\0")), QUERY);
        scripted.session.clientShutOutput();
        assertThat(scripted.server.take()).isEqualTo(packet(5, of(2)));
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        String key = Base64.getEncoder()
                .encodeToString(generator.generateKeyPair().getPublic().getEncoded());
        scripted.server(packet(6, Bytes.concat(of(1), text(key))));
        assertThat(scripted.session.ended()).isFalse();
        assertThat(scripted.session.pipelined()).isTrue();
        assertThat(scripted.server.take()).hasSize(4 + 256);
        scripted.client.take();
        scripted.server(packet(8, ok(0, AC)));
        assertThat(scripted.client.take()).isEqualTo(packet(6, ok(0, AC)));
        assertThat(scripted.server.take()).isEqualTo(QUERY);
        assertThat(scripted.server.outputShut()).isTrue();
        scripted.server(packet(1, ok(0, AC)));
        assertThat(scripted.client.take()).isEqualTo(packet(1, ok(0, AC)));
        over(scripted, "client_closed");
    }

    /** The proxy has responded for the server: it owes nothing, and the client that is asked has gone. */
    @Test
    void aClientThatShutsItsOutputWhenGivenTheProxysKeyIsGone() {
        Scripted scripted = new Scripted(Memory.direct(), watcher);
        scripted.server.beLocal();
        fullAuthentication(scripted);
        scripted.client(packet(5, of(2)));
        assertThat(Bytes.slice(scripted.client.take(), 3, 5)).isEqualTo(of(6, 1));
        scripted.session.clientShutOutput();
        assertThat(scripted.session.ended()).isTrue();
        assertThat(scripted.closed("client_closed")).isEqualTo(1);
        scripted.server.take();
        scripted.finish();
    }

    /** It is the client's to send the password: the server is not accused of silence. */
    @Test
    void aClientThatIsGivenTheProxysKeyAndStopsIsTimedOut() {
        Scripted scripted = new Scripted(Memory.direct(), watcher);
        scripted.server.beLocal();
        fullAuthentication(scripted);
        scripted.client(packet(5, of(2)));
        scripted.session.handshakeTimedOut();
        assertThat(scripted.closed("handshake_timeout")).isEqualTo(1);
        scripted.client.take();
        scripted.finish();
    }

    /** The legs are unlike; the server asks for full authentication with caching_sha2_password. */
    private static void fullAuthentication(Scripted scripted) {
        scripted.connectServer();
        scripted.server(packet(0, Scripted.handshakeV10(Scripted.CLASSIC, "8.4.0")));
        scripted.client(packet(1, Scripted.handshakeResponse(Scripted.CLASSIC, "app", null)));
        scripted.server(packet(2, Bytes.concat(of(0xFE), text("caching_sha2_password\0ABCDEFGHIJKLMNOPQRST\0"))));
        scripted.client(packet(3, new byte[32]));
        scripted.server(packet(4, of(1, 4)));
        scripted.client.take();
        scripted.server.take();
    }

    @Test
    void aClientThatShutsItsOutputAheadOfItsLoginIsGone() {
        Scripted scripted = loggingIn();
        scripted.session.clientShutOutput();
        assertThat(scripted.session.ended()).isTrue();
        scripted.server.take();
        scripted.client.take();
        scripted.finish();
    }

    private Scripted loggingIn() {
        Scripted scripted = new Scripted(Memory.direct(), watcher);
        scripted.connectServer();
        scripted.server(packet(0, Scripted.handshakeV10(Scripted.CLASSIC, "8.4.0")));
        return scripted;
    }

    /** OpenSSL sends the alert decode_error for the FIN that tells a server of the client's departure. */
    @Test
    void anAlertBehindTheClientsDepartureIsTheServersClose() {
        Scripted scripted = loggedIn();
        scripted.client(QUERY);
        scripted.session.clientShutOutput();
        assertThat(scripted.server.outputShut()).isTrue();
        scripted.session.serverFailed(new SSLException("error:TLSV1_ALERT_DECODE_ERROR"));
        assertThat(scripted.session.ended())
                .as("its last responses may still be on their way")
                .isFalse();
        scripted.session.serverClosed();
        over(scripted, "server_closed");
    }

    @Test
    void aTlsFailureThatIsNoAlertIsOneAlsoBehindTheClientsDeparture() {
        Scripted scripted = loggedIn();
        scripted.client(QUERY);
        scripted.session.clientShutOutput();
        scripted.session.serverFailed(new SSLException("error:DECRYPTION_FAILED_OR_BAD_RECORD_MAC"));
        over(scripted, "server_tls_failed");
    }

    @Test
    void aClientsClosedOutputEndsAnIdleSession() {
        Scripted scripted = loggedIn();
        scripted.session.clientShutOutput();
        assertThat(scripted.server.outputShut()).isFalse();
        over(scripted, "client_closed");
    }

    /** A read may bring nothing: a TLS session ticket, or a turn of the decompressor. */
    @Test
    void aReadOfTheServerDoesNotEndAHeldSessionWhoseClientClosedItsOutput() {
        Scripted scripted = loggedIn();
        scripted.environment.hold().begin();
        scripted.session.hold();
        scripted.client(QUERY);
        scripted.session.clientShutOutput();
        scripted.session.serverReadComplete();
        assertThat(scripted.session.ended()).isFalse();
        scripted.environment.hold().end();
        scripted.session.release();
        assertThat(scripted.server.take()).isEqualTo(QUERY);
        assertThat(scripted.server.outputShut()).isTrue();
        scripted.server(packet(1, ok(0, AC)));
        over(scripted, "client_closed");
    }

    /** Logs in and opens a cursor, which keeps the session from its boundary. */
    private Scripted withCursor() {
        Scripted scripted = loggedIn();
        scripted.client(Bytes.command(CommandCode.STMT_PREPARE, "SELECT a FROM t"));
        scripted.server(packet(1, of(0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)));
        scripted.client(packet(0, Bytes.concat(of(CommandCode.STMT_EXECUTE), Bytes.int4(9), of(1), Bytes.int4(1))));
        scripted.server(
                packet(1, of(1)), packet(2, definition("a")), packet(3, Bytes.eof(AC | ServerStatus.CURSOR_EXISTS)));
        assertThat(scripted.model().atBoundary()).isFalse();
        scripted.server.take();
        return scripted;
    }

    private static final byte[] CLOSE = packet(0, Bytes.concat(of(CommandCode.STMT_CLOSE), Bytes.int4(9)));

    /** COM_STMT_CLOSE has no response that could show the boundary. */
    @Test
    void aSessionIsHeldWhenItsCursorIsClosed() {
        Scripted scripted = withCursor();
        scripted.environment.hold().begin();
        scripted.session.hold();
        assertThat(scripted.session.held()).isFalse();
        scripted.client(CLOSE);
        assertThat(scripted.server.take()).isEqualTo(CLOSE);
        assertThat(scripted.session.held()).isTrue();
        scripted.client(QUERY);
        assertThat(scripted.server.take()).isEmpty();
        scripted.environment.hold().end();
        scripted.session.release();
        assertThat(scripted.server.take()).isEqualTo(QUERY);
        scripted.finish();
    }

    @Test
    void aSessionIsClosedWhenItsCursorIsClosed() {
        Scripted draining = withCursor();
        draining.session.drain();
        assertThat(draining.session.ended()).isFalse();
        draining.client(CLOSE);
        over(draining, "drained");

        watcher.closings.clear();
        Scripted left = withCursor();
        left.primaryChanges();
        assertThat(left.session.ended()).isFalse();
        left.client(CLOSE);
        over(left, "primary_changed");
    }

    @Test
    void aServersCloseEndsTheSession() {
        Scripted scripted = loggedIn();
        scripted.session.serverClosed();
        over(scripted, "server_closed");
    }

    @Test
    void drainsWhenIdle() {
        Scripted scripted = loggedIn();
        scripted.client(QUERY);
        scripted.session.drain();
        assertThat(scripted.session.ended()).isFalse();
        scripted.server(packet(1, ok(0, AC | ServerStatus.IN_TRANS)));
        assertThat(scripted.session.ended()).isFalse();
        scripted.client(QUERY);
        scripted.server(packet(1, ok(0, AC)));
        over(scripted, "drained");
    }

    @Test
    void drainTimesOut() {
        Scripted scripted = loggedIn();
        scripted.client(QUERY);
        scripted.session.drain();
        scripted.session.drainNow();
        over(scripted, "drain_timeout");
    }

    @Test
    void anUnreachablePrimaryIsReportedToTheClient() {
        Scripted scripted = new Scripted(Memory.heap());
        scripted.session.serverFailed(1042, "08S01", "no route");
        byte[] sent = scripted.client.take();
        assertThat(sent).isEqualTo(packet(0, Bytes.concat(of(0xFF), Bytes.int2(1042), Bytes.text("#08S01no route"))));
        assertThat(scripted.closed("backend_unreachable")).isEqualTo(1);
        scripted.finish();
        scripted.session.serverFailed(1042, "08S01", "no route");
        assertThat(scripted.client.take()).isEmpty();
    }

    @Test
    void aClientThatPipelinesTooFarHasToWait() {
        Scripted scripted = loggedIn();
        byte[] ping = Bytes.command(CommandCode.PING, "");
        for (int i = 0; i < 1024; i++) {
            assertThat(scripted.client.reading()).isTrue();
            scripted.client(ping);
        }
        assertThat(scripted.client.reading()).isFalse();
        scripted.server(packet(1, ok(0, AC)));
        assertThat(scripted.client.reading()).isTrue();
        scripted.finish();
    }

    @Test
    void anUnknownCommandInAPipelineDoesNotEndTheSession() {
        Scripted scripted = loggedIn();
        scripted.client(Bytes.command(0x77, ""), QUERY);
        byte[] responses =
                Bytes.concat(packet(1, Bytes.err(1047, "unknown")), packet(1, of(1)), packet(2, definition("a")));
        scripted.server(responses);
        assertThat(scripted.client.take()).isEqualTo(responses);
        assertThat(scripted.session.loggedIn()).isTrue();
        scripted.finish();
    }

    /** Throws in the callback of the given name. */
    private static final class Faulty extends Watcher {
        private final String where;
        private int faults;

        Faulty(String where) {
            super(ALL | Interest.BOUNDARY);
            this.where = where;
            next = new InjectedStatement("SET @a=1", "test");
        }

        private void maybe(String callback) {
            if (callback.equals(where)) {
                faults++;
                throw new StackOverflowError("as the test wants, in " + callback);
            }
        }

        @Override
        public int interests() {
            maybe("interests");
            return super.interests();
        }

        @Override
        public void onCommand(CommandView command) {
            maybe("onCommand");
        }

        @Override
        public void onResponse(CommandView command, ResponseView response) {
            maybe("onResponse");
        }

        @Override
        public @Nullable InjectedStatement beforeCommand(CommandView command) {
            maybe("beforeCommand");
            return super.beforeCommand(command);
        }

        @Override
        public void onInjected(InjectedStatement statement, InjectionResult result) {
            maybe("onInjected");
        }

        @Override
        public void onReset() {
            maybe("onReset");
        }

        @Override
        public void onClose(String reason) {
            maybe("onClose");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"interests", "onCommand", "onResponse", "beforeCommand", "onInjected", "onReset", "onClose"})
    void aThrowingObserverIsRetiredWithoutAffectingOthers(String where) {
        Faulty faulty = new Faulty(where);
        Scripted scripted = new Scripted(Memory.direct(), faulty, watcher).loggedIn(Scripted.CLASSIC);
        for (int i = 0; i < 3; i++) {
            scripted.client(QUERY);
            if (scripted.server.take().length > QUERY.length) {
                scripted.server(packet(1, ok(0, AC)));
            }
            scripted.server(packet(1, ok(i, AC)));
            assertThat(scripted.client.take()).isEqualTo(packet(1, ok(i, AC)));
        }
        scripted.client(Bytes.command(CommandCode.RESET_CONNECTION, ""));
        scripted.server(packet(1, ok(0, AC)));
        scripted.finish();
        assertThat(faulty.faults).isEqualTo(1);
        assertThat(scripted.meters
                        .find("understudy.observer.faults")
                        .tag("plugin", "p0")
                        .counter())
                .isNotNull()
                .satisfies(counter -> assertThat(counter.count()).isEqualTo(1));
        assertThat(watcher.responses).hasSize(4);
        assertThat(watcher.resets).isEqualTo(1);
        assertThat(watcher.closings).containsExactly("client_closed");
    }

    @Test
    void requestingTextTooLateIsNoFault() {
        SessionObserver late = new SessionObserver() {
            @Override
            public int interests() {
                return Watcher.ALL;
            }

            @Override
            public void onResponse(CommandView command, ResponseView response) {
                assertThat(command.text()).isNull();
                assertThat(command.normalizedText()).isNull();
            }
        };
        Scripted scripted = new Scripted(Memory.heap(), late).loggedIn(Scripted.CLASSIC);
        scripted.client(QUERY);
        scripted.server(packet(1, ok(0, AC)));
        assertThat(scripted.meters.find("understudy.observer.faults").counter()).isNull();
        scripted.finish();
    }

    @Test
    void withoutObserversACommandAllocatesNothing() {
        Scripted scripted = new Scripted(Memory.heap()).loggedIn(Scripted.CLASSIC);
        scripted.client.countOnly();
        scripted.server.countOnly();
        ByteBuf command = Bytes.buffer(scripted.memory.alloc(), QUERY);
        ByteBuf response = Bytes.buffer(
                scripted.memory.alloc(),
                Bytes.concat(
                        packet(1, of(1)),
                        packet(2, definition("a")),
                        packet(3, Bytes.eof(AC)),
                        packet(4, of(1, 65)),
                        packet(5, Bytes.eof(AC))));
        run(scripted, command, response, 20_000);
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        run(scripted, command, response, 20_000);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(allocated).as("bytes allocated by 20,000 commands").isLessThan(20_000);
        command.release();
        response.release();
        scripted.finish();
    }

    private static void run(Scripted scripted, ByteBuf command, ByteBuf response, int times) {
        for (int i = 0; i < times; i++) {
            scripted.session.fromClient(command.retain());
            scripted.session.clientReadComplete();
            scripted.session.fromServer(response.retain());
            scripted.session.serverReadComplete();
        }
    }
}
