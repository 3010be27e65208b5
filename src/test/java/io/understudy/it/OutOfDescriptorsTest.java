package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.understudy.config.Transport;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.session.FakeServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The program at its limit of open files: every client is told, the others go on, and it recovers by itself. */
@Timeout(180)
@Tag("long")
@Tag("quiet")
class OutOfDescriptorsTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final byte[] OK = Bytes.packet(1, new byte[] {0, 0, 0, 2, 0, 0, 0});
    private static final int LIMIT = 260;
    private static final int REFUSALS = 30;
    /** Well below {@code limits.handshakeTimeout}. */
    private static final long MOST_MILLIS = 20_000;

    @TempDir
    private Path folder;

    /** An even and an odd limit: at one of them accept fails, at the other the socket to the primary. */
    static Stream<Arguments> limits() {
        return SlowNameServerTest.transports().stream()
                .flatMap(transport -> Stream.of(arguments(transport, LIMIT), arguments(transport, LIMIT + 1)));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void itRespondsAndRecovers(Transport transport, int limit) throws Exception {
        List<RawClient> held = new ArrayList<>();
        try (FakeServer primary = FakeServer.responding(OK);
                LimitedProgram program = LimitedProgram.start(folder, transport, primary.address(), limit)) {
            assertThat(program.log()).contains("the limit of open files is " + limit);
            await().atMost(SOON).untilAsserted(() -> assertThat(ready(program)).contains("200 OK"));
            fill(program, held);
            assertThat(held).as("sessions at the limit").hasSizeGreaterThan(20);
            assertThat(ready(program)).contains("503").contains("out of file descriptors (limit " + limit + ")");
            held.remove(0).close();
            held.remove(0).close();
            await().atMost(SOON).untilAsserted(() -> assertThat(ready(program)).contains("200 OK"));
            InetSocketAddress admin = program.adminAddress();
            try (Socket idle = new Socket(admin.getAddress(), admin.getPort())) {
                fill(program, held);
                for (int i = 0; i < REFUSALS; i++) {
                    assertThat(ready(program)).contains("503");
                }
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
            assertThat(program.log()).contains("file descriptors are available again");
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
            long begin = System.nanoTime();
            Packet first = client.read();
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin))
                    .as("milliseconds to the first packet")
                    .isLessThan(MOST_MILLIS);
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
