package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.testkit.Bytes;
import io.understudy.testkit.session.FakeServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Malformed input and the ERR packet sent for it. Where the server responds, the client gets the same ERR packet as
 * directly; where the proxy cannot continue, the proxy sends its own. A concurrent session is not affected.
 */
class HostileSocketsTest {
    private static final Duration SOON = Duration.ofSeconds(15);
    private static final int COM_QUERY = 3;

    private static ServerUnderTest server;
    private static ProxyUnderTest proxy;

    @BeforeAll
    static void start() throws Exception {
        server = ServerUnderTest.shared();
        proxy = ProxyUnderTest.to(server.address());
    }

    @AfterAll
    static void stop() {
        proxy.close();
    }

    private static byte[] command(int... bytes) {
        byte[] payload = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            payload[i] = (byte) bytes[i];
        }
        return Bytes.packet(0, payload);
    }

    private static byte[] handshakeResponse(long capabilities, String rest) {
        byte[] payload = new Payload()
                .uint(capabilities, 4)
                .uint(1 << 24, 4)
                .uint(45, 1)
                .zeros(23)
                .raw(rest.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1))
                .bytes();
        return Bytes.packet(1, payload);
    }

    /** Description, bytes and error code. Measured on MariaDB 10.11 and MySQL 9.7, which agree on all of them. */
    static Stream<Arguments> logins() {
        long plain = RawClient.PLAIN;
        return Stream.of(
                Arguments.of("empty", Bytes.packet(1, new byte[0]), 1043),
                Arguments.of("two bytes", Bytes.packet(1, new byte[] {1, 2}), 1043),
                Arguments.of("user without its end", handshakeResponse(plain, "root"), 1043),
                Arguments.of("auth response longer than the packet", handshakeResponse(plain, "root\0\u00c8abc"), 1043),
                Arguments.of(
                        "wrong password",
                        handshakeResponse(plain, "root\0\u0014" + "x".repeat(20) + "mysql_native_password\0"),
                        1045));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("logins")
    void aMalformedLoginGetsTheServersError(String what, byte[] bytes, int error) throws Exception {
        for (InetSocketAddress address : List.of(server.address(), proxy.address())) {
            try (RawClient client = RawClient.open(address)) {
                client.read();
                client.sendRaw(bytes);
                List<Packet> said = client.readAll();
                assertThat(said).as("%s at %s", what, address).hasSize(1);
                assertThat(said.get(0).errorCode()).isEqualTo(error);
                assertThat(said.get(0).sequence()).isEqualTo(2);
            }
        }
    }

    /** The error text for a wrong password is the server's, byte for byte. */
    @Test
    void theTextOfALoginErrorIsTheServers() throws Exception {
        List<String> texts = new ArrayList<>();
        for (InetSocketAddress address : List.of(server.address(), proxy.address())) {
            try (RawClient client = RawClient.open(address)) {
                client.read();
                client.sendRaw(handshakeResponse(
                        RawClient.PLAIN, "nobody\0\u0014" + "x".repeat(20) + "mysql_native_password\0"));
                texts.add(client.readAll().stream().map(Packet::hex).toList().toString());
            }
        }
        assertThat(texts.get(1)).isEqualTo(texts.get(0)).contains("ff1504");
    }

    static Stream<Arguments> commands() {
        return Stream.of(
                Arguments.of("empty command", command(), 1047),
                Arguments.of("COM_SLEEP", command(0x00), 1047),
                Arguments.of("COM_TIME", command(0x0F), 1047),
                Arguments.of("never heard of", command(0x60, 'a', 'b'), 1047),
                Arguments.of("0xFF", command(0xFF), 1047),
                Arguments.of("five bytes of noise", command(0xAA, 0xBB, 0xCC, 0xDD, 0xEE), 1047),
                Arguments.of("COM_SET_OPTION 9", command(0x1B, 9, 0), 1047),
                Arguments.of("COM_CHANGE_USER whose length lies", command(0x11, 'r', 0, 0xC8, 1), 1047),
                Arguments.of("unknown statement id", command(0x17, 0xE7, 3, 0, 0, 0, 1, 0, 0, 0), 1243),
                Arguments.of("execute of one byte", command(0x17, 1), 1835),
                Arguments.of("no SQL", command(COM_QUERY, '?'), 1064));
    }

    /** The server responds and continues, and so does the session. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("commands")
    void aMalformedCommandGetsTheServersErrorAndTheSessionContinues(String what, byte[] bytes, int error)
            throws Exception {
        List<String> responses = new ArrayList<>();
        for (InetSocketAddress address : List.of(server.address(), proxy.address())) {
            try (RawClient client = RawClient.login(address, server)) {
                client.sendRaw(bytes);
                Packet response = client.read();
                assertThat(response.errorCode()).as("%s at %s", what, address).isEqualTo(error);
                responses.add(response.hex());
                client.execute("DO 1");
            }
        }
        assertThat(responses.get(1)).isEqualTo(responses.get(0));
    }

    @Test
    void aWrongSequenceNumberGetsTheServersError() throws Exception {
        List<String> words = new ArrayList<>();
        for (InetSocketAddress address : List.of(server.address(), proxy.address())) {
            try (RawClient client = RawClient.login(address, server)) {
                client.send(3, new byte[] {0x0E});
                List<Packet> said = client.readAll();
                assertThat(said).hasSize(1);
                assertThat(said.get(0).errorCode()).isEqualTo(1156);
                assertThat(said.get(0).errorText()).startsWith("#08S01Got packets out of order");
                words.add(said.get(0).hex());
            }
        }
        assertThat(words.get(1)).as("the server's own words").isEqualTo(words.get(0));
    }

    /** The server sends an error while the client is still sending, and closes. */
    @Test
    void aCommandAboveMaxAllowedPacketGetsTheServersError() throws Exception {
        long limit = Long.parseLong(String.valueOf(server.query("SELECT @@global.max_allowed_packet")));
        byte[] statement = new byte[(int) Math.min(Integer.MAX_VALUE - 64, limit + (1 << 20))];
        Arrays.fill(statement, (byte) ' ');
        statement[0] = COM_QUERY;
        for (InetSocketAddress address : List.of(server.address(), proxy.address())) {
            try (RawClient client = RawClient.login(address, server)) {
                try {
                    client.send(0, statement);
                } catch (IOException closed) {
                    // What the server sent before the close can still be read.
                }
                List<Packet> said = client.readAll();
                assertThat(said).as("at %s", address).hasSize(1);
                assertThat(said.get(0).errorCode()).isEqualTo(1153);
            }
        }
    }

    /** The same for many clients and each transport: as many get the server's last ERR packet as directly. */
    @ParameterizedTest
    @ValueSource(strings = {"nio", "epoll", "io_uring"})
    void manyClientsGetTheServersErrorAsOftenAsDirectly(String transport) throws Exception {
        TransportTest.assume(transport);
        String limit = server.query("SELECT @@global.max_allowed_packet");
        server.execute("SET GLOBAL max_allowed_packet = 1048576");
        try (ProxyUnderTest mine = ProxyUnderTest.to(server.address(), "transport: " + transport)) {
            assertThat(toldTooBig(mine.address())).isGreaterThanOrEqualTo(toldTooBig(server.address()));
            await().atMost(SOON).until(() -> mine.sessions() == 0);
        } finally {
            server.execute("SET GLOBAL max_allowed_packet = " + limit);
        }
    }

    private static int toldTooBig(InetSocketAddress address) throws IOException {
        byte[] statement = new byte[8 << 20];
        statement[0] = COM_QUERY;
        int told = 0;
        for (int i = 0; i < 20; i++) {
            try (RawClient client = RawClient.login(address, server)) {
                try {
                    client.send(0, statement);
                } catch (IOException closed) {
                    // What the server sent before the close can still be read.
                }
                told += client.readAll().stream().anyMatch(packet -> packet.errorCode() == 1153) ? 1 : 0;
            }
        }
        return told;
    }

    /** Length fields without the bytes that they announce: the proxy does not read or allocate ahead for them. */
    @Test
    void truncatedPacketsAreNotReadAhead() throws Exception {
        try (RawClient good = RawClient.login(proxy.address(), server);
                RawClient bad = RawClient.login(proxy.address(), server)) {
            bad.sendRaw(new byte[] {(byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 0, COM_QUERY, 'S', 'E'});
            good.execute("DO 1");
            bad.shutdownOutput();
            assertThat(bad.readAll()).allMatch(Packet::isErr);
        }
        await().atMost(SOON).until(() -> proxy.sessions() == 0);
    }

    private static byte[] packets(byte[]... packets) {
        Payload all = new Payload();
        for (byte[] packet : packets) {
            all.raw(packet);
        }
        return all.bytes();
    }

    /** Bytes that a server may send in response to SELECT, however malformed. */
    static Stream<Arguments> responses() {
        byte[] eof = {(byte) 0xFE, 0, 0, 2, 0};
        byte[] ok = {0, 0, 0, 2, 0, 0, 0};
        return Stream.of(
                Arguments.of("an integer that is cut", Bytes.packet(1, new byte[] {(byte) 0xFC, 1})),
                Arguments.of("a cut OK packet", Bytes.packet(1, new byte[] {0, 1})),
                Arguments.of("two responses to one command", packets(Bytes.packet(1, ok), Bytes.packet(1, ok))),
                Arguments.of(
                        "an unrequested result behind a response",
                        packets(Bytes.packet(1, ok), Bytes.packet(1, new byte[] {1}))),
                Arguments.of("an EOF and another response", packets(Bytes.packet(1, eof), Bytes.packet(1, ok))));
    }

    /** The client gets the bytes unchanged, and the session continues unread. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("responses")
    void aMalformedResponseIsRelayedUnread(String what, byte[] response) throws Exception {
        try (FakeServer fake = FakeServer.responding(response);
                ProxyUnderTest mine = ProxyUnderTest.to(fake.address());
                RawClient client = RawClient.open(mine.address())) {
            client.login("u", "", "s", RawClient.PLAIN);
            for (int i = 0; i < 3; i++) {
                client.query("SELECT 1");
                assertThat(client.readBytes(response.length)).as(what).isEqualTo(response);
            }
            assertThat(mine.unread()).isEqualTo(1);
            assertThat(mine.sessions()).isEqualTo(1);
        }
    }

    /** A header that announces 16 MB without content: no memory is reserved, and the client may disconnect. */
    @Test
    void anAnnouncedLengthReservesNoMemory() throws Exception {
        byte[] column = {(byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 2, 3};
        try (FakeServer fake = FakeServer.responding(packets(Bytes.packet(1, new byte[] {1}), column));
                ProxyUnderTest mine = ProxyUnderTest.to(fake.address())) {
            RawClient client = RawClient.open(mine.address());
            client.login("u", "", "s", RawClient.PLAIN);
            client.query("SELECT 1");
            assertThat(client.skip(10)).isEqualTo(10);
            client.close();
            await().atMost(SOON).until(() -> mine.sessions() == 0);
            assertThat(mine.count("understudy.sessions.closed", "internal_error"))
                    .isZero();
        }
    }
}
