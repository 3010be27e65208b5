package io.understudy.session;

import static io.understudy.testkit.Bytes.concat;
import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.protocol.CommandCode;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.session.Scripted;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that sends commands without waiting for responses, more than the session takes at once. */
@Tag("long")
class PipelineLimitTest extends SessionHarness {
    /** As many pings as one read of 64 KiB holds. */
    private static final int PINGS = 64 * 1024 / 5;

    private static final int LIMIT = 1024;
    private static final byte[] PING = Bytes.command(CommandCode.PING, "");
    private static final byte[] OK = packet(1, ok(0, AC));

    private static byte[] times(byte[] packet, int times) {
        byte[] all = new byte[packet.length * times];
        for (int i = 0; i < times; i++) {
            System.arraycopy(packet, 0, all, i * packet.length, packet.length);
        }
        return all;
    }

    @Test
    void noMoreCommandsAreTakenThanTheLimit() {
        Scripted scripted = loggedIn();
        scripted.client(times(PING, PINGS));
        assertThat(scripted.model().inFlight().size()).isEqualTo(LIMIT);
        assertThat(scripted.server.take()).isEqualTo(times(PING, LIMIT));
        assertThat(scripted.client.reading()).isFalse();

        scripted.server(times(OK, 3));
        assertThat(scripted.server.take()).isEqualTo(times(PING, 3));
        assertThat(scripted.model().inFlight().size()).isEqualTo(LIMIT);

        int sent = LIMIT + 3;
        int responses = 3;
        while (responses < PINGS) {
            int due = sent - responses;
            scripted.server(times(OK, due));
            responses += due;
            sent += scripted.server.take().length / PING.length;
        }
        assertThat(sent).isEqualTo(PINGS);
        assertThat(scripted.client.reading()).isTrue();
        assertThat(scripted.client.take()).isEqualTo(times(OK, PINGS));
        assertThat(scripted.model().commands()).isEqualTo(PINGS);
        scripted.finish();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void whereverTheReadsEnd(int seed) {
        Random random = new Random(seed);
        byte[] query = Bytes.command(CommandCode.QUERY, "DO 1");
        byte[] commands = new byte[0];
        for (int i = 0; i < 40; i++) {
            commands = concat(commands, times(PING, 61), times(query, 29));
        }
        Scripted scripted = loggedIn();
        int responses = 0;
        byte[] arrived = new byte[0];
        for (int at = 0; at < commands.length; ) {
            // A socket may still deliver what was read before the pause; it never delivers more than a few reads.
            int next = Math.min(commands.length, at + 1 + random.nextInt(4_000));
            scripted.client(Arrays.copyOfRange(commands, at, next));
            at = next;
            int due = scripted.model().inFlight().size();
            assertThat(due).isLessThanOrEqualTo(LIMIT);
            int now = random.nextInt(due + 1);
            scripted.server(times(OK, now));
            responses += now;
            arrived = concat(arrived, scripted.server.take());
        }
        while (!scripted.model().inFlight().isEmpty()) {
            int due = scripted.model().inFlight().size();
            scripted.server(times(OK, due));
            responses += due;
            arrived = concat(arrived, scripted.server.take());
        }
        assertThat(arrived).isEqualTo(commands);
        assertThat(responses).isEqualTo(40 * 90);
        scripted.finish();
    }

    @Test
    void commandsThatWaitReachTheServerAheadOfTheEndOfTheClientsOutput() {
        Scripted scripted = loggedIn();
        scripted.client(times(PING, LIMIT + 10));
        scripted.session.clientShutOutput();
        assertThat(scripted.server.outputShut()).isFalse();
        scripted.server(times(OK, LIMIT));
        assertThat(scripted.server.take()).isEqualTo(times(PING, LIMIT + 10));
        assertThat(scripted.server.outputShut()).isTrue();
        scripted.server(times(OK, 10));
        assertThat(scripted.client.take()).isEqualTo(times(OK, LIMIT + 10));
        assertThat(scripted.closed("client_closed")).isEqualTo(1);
        scripted.finish();
    }

    @Test
    void commandsThatWaitAreReleasedWithTheSession() {
        Scripted scripted = loggedIn();
        scripted.client(times(PING, PINGS));
        scripted.session.serverClosed();
        scripted.finish();
    }

    @Test
    void aMalformedResponseLetsAllOfThemFlowUnread() {
        Scripted scripted = loggedIn();
        scripted.client(times(QUERY, LIMIT + 10));
        scripted.server(packet(1, Bytes.of(0xFC, 1)));
        assertThat(scripted.session.phaseName()).isEqualTo("relaying unread");
        assertThat(scripted.server.take()).isEqualTo(times(QUERY, LIMIT + 10));
        assertThat(scripted.client.reading()).isTrue();
        scripted.finish();
    }
}
