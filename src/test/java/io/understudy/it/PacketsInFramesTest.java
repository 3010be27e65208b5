package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.protocol.Capabilities;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * MySQL Connector/Python, in pure Python, reads one more frame for a packet that its frame cuts, and no third. So it,
 * and a client that does not name itself, gets each packet in one frame; other libraries read a stream, and get large
 * packets compressed.
 */
class PacketsInFramesTest {
    private static final int VALUE = 1_000_000;
    private static final int ROW = 4 + 4 + VALUE;

    private final ServerUnderTest server = ServerUnderTest.shared();

    @ParameterizedTest(name = "attribute {0}={1}, server leg {2}")
    @CsvSource({
        "_client_name, mysql-connector-python, ''",
        "_client_name, mysql-connector-python, zlib",
        "app, shop, ''",
        "_client_name, libmysql, ''",
    })
    void aLargeRow(String attribute, String value, String serverLeg) throws Exception {
        String yaml = """
                listen: { address: "127.0.0.1:0" }
                primary: { address: "127.0.0.1:%d", tls: { mode: disabled }, compression: [%s] }
                admin: { enabled: false }
                """.formatted(server.address().getPort(), serverLeg);
        try (ProxyUnderTest proxy = ProxyUnderTest.start(yaml);
                FramedSocket frames = new FramedSocket(proxy.address());
                RawClient client = RawClient.over(frames.in(), frames.out(), frames)) {
            client.attribute(attribute, value);
            client.login(
                    server.user(),
                    server.password(),
                    ServerUnderTest.SCHEMA,
                    RawClient.PLAIN | RawClient.CONNECT_ATTRS | Capabilities.COMPRESS);
            frames.compress();
            frames.expect(1);
            client.query("SELECT REPEAT('x', " + VALUE + ")");
            assertThat(client.readResult())
                    .extracting(row -> row.payload().length)
                    .contains(ROW - 4);
            List<Integer> contents = frames.takeContents();
            if (value.equals("libmysql")) {
                assertThat(contents).allMatch(length -> length <= 64 * 1024);
            } else {
                assertThat(contents).contains(ROW);
            }
        }
    }
}
