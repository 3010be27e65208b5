package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.config.Transport;
import io.understudy.it.RawClient.Packet;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The program at its limit of open files: every client is told, the others go on, and it recovers by itself. Runs with
 * {@code -Dunderstudy.it.descriptors=true} only: now and then the admin endpoint does not answer at the limit.
 */
@EnabledIfSystemProperty(named = "understudy.it.descriptors", matches = "true")
@Timeout(180)
class OutOfDescriptorsTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final byte[] OK = FakeServer.packet(1, new byte[] {0, 0, 0, 2, 0, 0, 0});
    private static final int LIMIT = 260;
    private static final int REFUSALS = 30;

    @TempDir
    private Path folder;

    /** Without NIO, on which the client that takes the last descriptor waits for the handshake timeout (documented). */
    static List<Transport> transports() {
        return SlowNameServerTest.transports().stream()
                .filter(transport -> transport != Transport.NIO)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("transports")
    void itAnswersAndRecovers(Transport transport) throws Exception {
        List<RawClient> held = new ArrayList<>();
        try (FakeServer primary = FakeServer.answering(OK);
                LimitedProgram program = LimitedProgram.start(folder, transport, primary.address(), LIMIT)) {
            assertThat(program.log()).contains("the limit of open files is " + LIMIT);
            await().atMost(SOON).untilAsserted(() -> assertThat(ready(program)).contains("200 OK"));
            fill(program, held);
            assertThat(held).as("sessions at the limit").hasSizeGreaterThan(20);
            assertThat(ready(program)).contains("503").contains("out of file descriptors (limit " + LIMIT + ")");
            // Once more with one descriptor less: what fails is now accept instead of the primary's socket, or the
            // reverse.
            held.remove(0).close();
            held.remove(0).close();
            await().atMost(SOON).untilAsserted(() -> assertThat(ready(program)).contains("200 OK"));
            InetSocketAddress admin = program.adminAddress();
            try (Socket idle = new Socket(admin.getAddress(), admin.getPort())) {
                fill(program, held);
                assertThat(ready(program)).contains("503");
                assertThat(idle.isConnected()).isTrue();
            }
            for (RawClient session : held) {
                session.query("DO 1");
                assertThat(session.read().isOk()).isTrue();
            }
            for (RawClient session : held) {
                session.close();
            }
            await().atMost(SOON).untilAsserted(() -> assertThat(ready(program)).contains("200 OK"));
            try (RawClient next = RawClient.open(program.address())) {
                assertThat(next.read().isErr()).isFalse();
            }
            assertThat(program.log().lines().filter(line -> line.contains("New clients get ERROR 1040")))
                    .as("lines about it")
                    .hasSize(1);
            assertThat(program.log()).contains("file descriptors can be had again");
        } finally {
            for (RawClient session : held) {
                session.close();
            }
        }
    }

    /** Logs in until nobody gets in any more. */
    private static void fill(LimitedProgram program, List<RawClient> held) throws IOException {
        int refused = 0;
        while (refused < REFUSALS) {
            assertThat(held).as("sessions within the limit").hasSizeLessThan(LIMIT / 2);
            RawClient client = RawClient.open(program.address());
            Packet first = client.read();
            if (first.isErr()) {
                client.close();
                assertThat(first.errorCode()).isEqualTo(1040);
                assertThat(first.errorText()).contains("08004").contains("out of file descriptors");
                refused++;
            } else {
                client.send(1, client.handshakeResponse("u", "", "s", RawClient.PLAIN));
                assertThat(client.read().isOk()).isTrue();
                held.add(client);
            }
        }
    }

    private static String ready(LimitedProgram program) throws IOException {
        InetSocketAddress admin = program.adminAddress();
        try (Socket socket = new Socket(admin.getAddress(), admin.getPort())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream()
                    .write("GET /health/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
