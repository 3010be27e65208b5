package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.it.RawClient.Packet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A client without compression on a server's leg with it, whose server numbers packets by its frames: every answer begins
 * behind the number of its command and goes on by one.
 */
class PacketNumbersTest {
    private static final int PREPARE = 0x16;
    private static final int EXECUTE = 0x17;
    private static final int SEND_LONG_DATA = 0x18;
    private static final int CLOSE = 0x19;
    /** More than 256 packets: the server's numbers pass 1 again. */
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
        return RawClient.login(proxy.socketAddress(), server);
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

    @Test
    void behindCommandsWithoutAnResponse() throws Exception {
        try (RawClient client = client()) {
            prepare(client, "DO ?", 2);
            client.command(CLOSE, new byte[] {1, 0, 0, 0});
            client.query(MANY);
            assertNumbered(client.readResult(), 1, 900);

            prepare(client, "DO LENGTH(?)", 2);
            byte[] id = {2, 0, 0, 0};
            for (int i = 0; i < 20; i++) {
                client.command(
                        SEND_LONG_DATA,
                        new RawClient.Bytes().raw(id).zeros(2).text("some data").bytes());
            }
            client.command(
                    EXECUTE,
                    new RawClient.Bytes()
                            .raw(id)
                            .zeros(1)
                            .uint(1, 4)
                            .zeros(1)
                            .uint(1, 1)
                            .uint(0xFB, 2)
                            .bytes());
            assertThat(client.read().sequence()).isEqualTo(1);
            client.query(MANY);
            assertNumbered(client.readResult(), 1, 900);
        }
    }

    @Test
    void answersOfCommandsSentBackToBack() throws Exception {
        try (RawClient client = client()) {
            for (int i = 0; i < 3; i++) {
                client.write(0, new RawClient.Bytes().uint(3, 1).text(MANY).bytes());
                client.write(
                        0,
                        new RawClient.Bytes()
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

    /** Does not compress to less than a frame. */
    private static String noise(int length) {
        StringBuilder text = new StringBuilder(length);
        new java.util.Random(5).ints(length, 'a', 'z').forEach(letter -> text.append((char) letter));
        return text.toString();
    }
}
