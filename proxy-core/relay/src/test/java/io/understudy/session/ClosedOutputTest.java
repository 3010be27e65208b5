package io.understudy.session;

import static io.understudy.testkit.Bytes.of;
import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.packet;
import static io.understudy.testkit.Bytes.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.testkit.Bytes;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.RsaKeys;
import io.understudy.testkit.session.Scripted;
import java.util.Base64;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that closes its output may still await responses. */
class ClosedOutputTest extends SessionHarness {
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
        String key =
                Base64.getEncoder().encodeToString(RsaKeys.pair().getPublic().getEncoded());
        scripted.server(packet(6, Bytes.concat(of(1), text(key))));
        assertThat(scripted.session.ended()).isFalse();
        assertThat(scripted.session.pipelined()).isTrue();
        assertThat(scripted.server.take()).hasSize(4 + RsaKeys.BYTES);
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
}
