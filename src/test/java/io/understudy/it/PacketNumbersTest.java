package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.protocol.Capabilities;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A client without compression and a server's leg with compression, where the server numbers packets by its frames.
 * Each response to the client starts with the number after its command and increases by one. The reverse is tested too.
 */
class PacketNumbersTest {
    private static final int PREPARE = 0x16;
    private static final int EXECUTE = 0x17;
    private static final int SEND_LONG_DATA = 0x18;
    private static final int CLOSE = 0x19;
    /** Returns more than 256 packets, so that the server's numbers wrap around and pass 1 again. */
    private static final String MANY =
            "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 900)" + " SELECT i FROM n";

    private final ServerUnderTest server = ServerUnderTest.shared();
    private final InjectingPlugin plugin = new InjectingPlugin("SET @understudy = 1");
    private ProxyUnderTest proxy;

    @BeforeEach
    void start() throws Exception {
        String yaml = """
                listen: { address: "127.0.0.1:0" }
                primary: { address: "127.0.0.1:%d", tls: { mode: disabled }, compression: zlib }
                admin: { enabled: false }
                plugins: { injecting: {} }
                """.formatted(server.address().getPort());
        proxy = ProxyUnderTest.start(yaml, plugin);
    }

    @AfterEach
    void stop() {
        proxy.close();
    }

    private RawClient client() throws Exception {
        return client(RawClient.PLAIN);
    }

    private RawClient client(long capabilities) throws Exception {
        return RawClient.login(proxy.socketAddress(), server, capabilities);
    }

    private static void assertNumbered(List<Packet> response, int first, int atLeast) {
        assertThat(response).hasSizeGreaterThanOrEqualTo(atLeast);
        assertThat(response)
                .extracting(Packet::sequence)
                .containsExactlyElementsOf(IntStream.range(first, first + response.size())
                        .mapToObj(number -> number & 0xFF)
                        .toList());
    }

    private static void prepare(RawClient client, String sql, int packetsBehind) throws Exception {
        client.command(PREPARE, sql);
        assertThat(client.read().isOk()).isTrue();
        for (int i = 0; i < packetsBehind; i++) {
            client.read();
        }
    }

    /**
     * The server flushes after the first result and numbers the second by its frames. These numbers pass 1 in the
     * middle of the second result, where the client's numbers differ.
     */
    private static void assertTwoResults(RawClient client) throws Exception {
        client.query("SELECT 1; " + MANY);
        List<Packet> first = client.readResult();
        assertNumbered(first, 1, 5);
        assertNumbered(client.readResult(), 1 + first.size(), 900);
    }

    @Test
    void numbersAreRightAfterACommandWithoutAResponse() throws Exception {
        try (RawClient client = client(RawClient.PLAIN | RawClient.MULTI_STATEMENTS)) {
            prepare(client, "DO ?", 2);
            client.command(CLOSE, new byte[] {1, 0, 0, 0});
            assertTwoResults(client);
        }
    }

    @Test
    void numbersAreRightAfterLongData() throws Exception {
        try (RawClient client = client(RawClient.PLAIN | RawClient.MULTI_STATEMENTS)) {
            prepare(client, "DO LENGTH(?)", 2);
            byte[] id = {1, 0, 0, 0};
            for (int i = 0; i < 20; i++) {
                client.command(
                        SEND_LONG_DATA,
                        new Payload().raw(id).zeros(2).text("some data").bytes());
            }
            client.command(
                    EXECUTE,
                    new Payload()
                            .raw(id)
                            .zeros(1)
                            .uint(1, 4)
                            .zeros(1)
                            .uint(1, 1)
                            .uint(0xFB, 2)
                            .bytes());
            assertThat(client.read().sequence()).isEqualTo(1);
            assertTwoResults(client);
        }
    }

    @Test
    void numbersAreRightAfterCommandsOfSeveralFrames() throws Exception {
        try (RawClient client = client()) {
            for (int size : new int[] {70_000, 140_000, 900_000}) {
                client.query("/* " + noise(size) + " */ " + MANY);
                assertNumbered(client.readResult(), 1, 900);
                client.query(MANY);
                assertNumbered(client.readResult(), 1, 900);
            }
        }
        assertThat(plugin.results).hasSizeGreaterThan(5).allMatch(result -> result.ok());
    }

    /** Two packets in more than 260 frames: the frame numbers wrap around too. */
    @Test
    void numbersAreRightAfterACommandOfTwoPackets() throws Exception {
        String bound = server.query("SELECT @@global.max_allowed_packet");
        server.execute("SET GLOBAL max_allowed_packet = 67108864");
        try (RawClient client = client()) {
            client.query("/* " + noise(17_000_000) + " */ " + MANY);
            assertNumbered(client.readResult(), 2, 900);
            client.query(MANY);
            assertNumbered(client.readResult(), 1, 900);
        } finally {
            server.execute("SET GLOBAL max_allowed_packet = " + bound);
        }
    }

    /**
     * The server sends the response to the injected statement, in its own frame, between two frames of the client's
     * command.
     */
    @Test
    void aCommandContinuesAfterTheResponseToAnInjectedStatement() throws Exception {
        byte[] text = new Payload()
                .uint(3, 1)
                .text("/* " + noise(900_000) + " */ " + MANY)
                .bytes();
        byte[] packet = new Payload().uint(text.length, 3).uint(0, 1).raw(text).bytes();
        try (RawClient client = client()) {
            int before = plugin.results.size();
            client.sendRaw(Arrays.copyOf(packet, 200_000));
            await().until(() -> plugin.results.size() > before);
            client.sendRaw(Arrays.copyOfRange(packet, 200_000, packet.length));
            assertNumbered(client.readResult(), 1, 900);
        }
    }

    /** A direct connection shows which packet numbers the proxy must send. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCompressingClientOfAServerWithoutCompressionGetsNumberedFrames(boolean proxied) throws Exception {
        String yaml = ProxyUnderTest.config("127.0.0.1:0", server.address(), "", "plugins: { injecting: {} }");
        try (ProxyUnderTest plain = ProxyUnderTest.start(yaml, plugin);
                FramedSocket socket =
                        new FramedSocket(proxied ? (InetSocketAddress) plain.socketAddress() : server.address());
                RawClient client = RawClient.over(socket.in(), socket.out(), socket)) {
            client.login(
                    server.user(), server.password(), ServerUnderTest.SCHEMA, RawClient.PLAIN | Capabilities.COMPRESS);
            socket.compress();
            client.query("/* " + noise(200_000) + " */ " + MANY);
            socket.expect(4);
            assertThat(client.readResult()).hasSizeGreaterThan(900);
            prepare(client, socket);
            client.command(CLOSE, new byte[] {1, 0, 0, 0});
            client.query(MANY);
            socket.expect(1);
            assertThat(client.readResult()).hasSizeGreaterThan(900);
            for (String sql : new String[] {"DO 1", MANY, "DO 2"}) {
                client.query(sql);
            }
            socket.expect(1);
            assertThat(client.read().isOk()).isTrue();
            socket.expect(1);
            assertThat(client.readResult()).hasSizeGreaterThan(900);
            socket.expect(1);
            assertThat(client.read().isOk()).isTrue();
        }
    }

    private static void prepare(RawClient client, FramedSocket socket) throws Exception {
        socket.expect(1);
        prepare(client, "DO ?", 2);
    }

    @Test
    void pipelinedCommandsGetResponsesNumberedAsDirectly() throws Exception {
        try (RawClient client = client()) {
            for (int i = 0; i < 3; i++) {
                client.write(0, new Payload().uint(3, 1).text(MANY).bytes());
                client.write(
                        0,
                        new Payload()
                                .uint(3, 1)
                                .text("DO '" + noise(100_000) + "'")
                                .bytes());
                client.write(0, new byte[] {0x0E});
            }
            client.flush();
            for (int i = 0; i < 3; i++) {
                assertNumbered(client.readResult(), 1, 900);
                assertThat(client.read().sequence()).isEqualTo(1);
                assertThat(client.read().sequence()).isEqualTo(1);
            }
        }
    }

    /** Returns text that does not compress into one frame. */
    private static String noise(int length) {
        StringBuilder text = new StringBuilder(length);
        new java.util.Random(5).ints(length, 'a', 'z').forEach(letter -> text.append((char) letter));
        return text.toString();
    }
}
