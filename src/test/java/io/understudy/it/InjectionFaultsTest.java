package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.testkit.Bytes;
import io.understudy.testkit.session.FakeServer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A server that rejects an injected statement, or closes the connection because of it. */
class InjectionFaultsTest {
    private final ServerUnderTest server = ServerUnderTest.shared();

    private ProxyUnderTest proxy(InjectingPlugin plugin) throws Exception {
        return ProxyUnderTest.start(
                ProxyUnderTest.config("127.0.0.1:0", server.address(), "", "plugins: { injecting: {} }"), plugin);
    }

    /**
     * Returns a server that is shutting down: it sends that error for the first statement, injected or not, and closes.
     */
    private static FakeServer shuttingDown() throws Exception {
        byte[] error = new Payload()
                .uint(0xFF, 1)
                .uint(1053, 2)
                .text("#08S01Server shutdown in progress")
                .bytes();
        return new FakeServer(connection -> {
            connection.letInPlain();
            StringBuilder seen = new StringBuilder();
            byte[] buffer = new byte[4096];
            while (seen.indexOf("SELECT 1") < 0) {
                int count = connection.in().read(buffer);
                if (count < 0) {
                    return;
                }
                seen.append(new String(buffer, 0, count, StandardCharsets.ISO_8859_1));
            }
            connection.raw(Bytes.packet(1, error));
        });
    }

    @Test
    void anErrorThatEndsTheConnectionReachesTheClient() throws Exception {
        InjectingPlugin plugin = new InjectingPlugin("DO 7");
        String yaml = "plugins: { injecting: {} }";
        try (FakeServer fake = shuttingDown();
                ProxyUnderTest proxy =
                        ProxyUnderTest.start(ProxyUnderTest.config("127.0.0.1:0", fake.address(), "", yaml), plugin);
                RawClient client = RawClient.open(proxy.socketAddress())) {
            client.login("u", "", "s", RawClient.PLAIN);
            client.query("SELECT 1");
            List<Packet> all = client.readAll();
            assertThat(all).hasSize(1);
            assertThat(all.get(0).sequence()).isEqualTo(1);
            assertThat(all.get(0).errorCode()).isEqualTo(1053);
            assertThat(all.get(0).errorText()).isEqualTo("#08S01Server shutdown in progress");
            assertThat(plugin.results).hasSize(1);
        }
    }

    @Test
    void nothingIsInjectedForAnAccountWithAQueryLimit() throws Exception {
        server.execute(
                "DROP USER IF EXISTS bounded",
                "CREATE USER bounded IDENTIFIED BY 'secret' WITH MAX_QUERIES_PER_HOUR 8",
                "GRANT SELECT ON " + ServerUnderTest.SCHEMA + ".* TO bounded");
        InjectingPlugin plugin = new InjectingPlugin("SELECT nothing");
        try (ProxyUnderTest proxy = proxy(plugin)) {
            try (RawClient client = RawClient.open(proxy.socketAddress())) {
                client.login("bounded", "secret", ServerUnderTest.SCHEMA, RawClient.PLAIN);
                Packet last = null;
                for (int i = 0; i < 8; i++) {
                    client.query("DO 1");
                    last = client.read();
                }
                assertThat(last).isNotNull();
                assertThat(last.errorCode()).isEqualTo(1226);
            }
            assertThat(plugin.results).anyMatch(result -> result.errorCode() == 1226);
            int injected = plugin.results.size();
            assertThat(injected).isLessThan(8);
            server.execute("FLUSH USER_RESOURCES");
            try (RawClient client = RawClient.open(proxy.socketAddress())) {
                client.login("bounded", "secret", ServerUnderTest.SCHEMA, RawClient.PLAIN);
                for (int i = 0; i < 8; i++) {
                    client.execute("DO 1");
                }
            }
            assertThat(plugin.results).hasSize(injected);
        }
    }
}
