package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.config.Transport;
import io.understudy.connection.NetworkTransport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A client that goes away in the middle of a statement: the server notices as soon as it does directly, rolls back and
 * frees the locks. Servers look for that every 5 seconds while they wait, and take bytes that are to be read, a
 * close_notify among them, for a client that is there.
 */
class VanishedClientTest {
    /** Two checks by the server and some time for a busy machine; the statement takes far longer. */
    private static final Duration SOON = Duration.ofSeconds(14);

    private static final String ASLEEP =
            "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SELECT SLEEP(61)%'";

    private final ServerUnderTest server = ServerUnderTest.shared();
    private final List<ProxyUnderTest> proxies = new ArrayList<>();

    private enum Departure {
        FIN,
        RESET,
        HALF
    }

    private record Gone(String what, RawClient client) {}

    private static boolean available(String transport) {
        try {
            NetworkTransport.resolve(Transport.valueOf(transport.toUpperCase(Locale.ROOT)));
            return true;
        } catch (IllegalStateException unavailable) {
            return false;
        }
    }

    private void leave(String what, java.net.InetSocketAddress address, List<Gone> all) throws IOException {
        for (Departure departure : Departure.values()) {
            RawClient client = RawClient.login(address, server);
            client.query("SELECT SLEEP(61)");
            all.add(new Gone(what + ", " + departure, client));
        }
    }

    @Test
    void theServerNotices() throws Exception {
        Map<String, String> legs = Map.of(
                "plain", "tls: { mode: disabled }",
                "TLS", "tls: { mode: required }",
                "compressed", "tls: { mode: disabled }, compression: [zlib]",
                "TLS, compressed", "tls: { mode: required }, compression: [zlib]");
        List<Gone> all = new ArrayList<>();
        try {
            leave("directly", server.address(), all);
            for (String transport : List.of("nio", "epoll", "io_uring")) {
                for (Map.Entry<String, String> leg : legs.entrySet()) {
                    if (available(transport)) {
                        ProxyUnderTest proxy = proxy(transport, leg.getValue());
                        leave(transport + ", " + leg.getKey(), proxy.address(), all);
                    }
                }
            }
            String count = String.valueOf(all.size());
            await().atMost(SOON).until(() -> count.equals(server.ask(ASLEEP)));
            for (int i = 0; i < all.size(); i++) {
                switch (Departure.values()[i % Departure.values().length]) {
                    case FIN -> all.get(i).client().close();
                    case RESET -> all.get(i).client().reset();
                    default -> all.get(i).client().shutdownOutput();
                }
            }
            await().atMost(SOON).untilAsserted(() -> assertThat(stillThere(all)).isEmpty());
        } finally {
            proxies.forEach(ProxyUnderTest::close);
        }
    }

    private List<String> stillThere(List<Gone> all) {
        String threads = "," + server.ask("SELECT GROUP_CONCAT(ID) FROM information_schema.PROCESSLIST") + ",";
        return all.stream()
                .filter(gone -> threads.contains("," + gone.client().threadId() + ","))
                .map(Gone::what)
                .toList();
    }

    private ProxyUnderTest proxy(String transport, String primary) throws Exception {
        ProxyUnderTest proxy = ProxyUnderTest.start("""
                transport: %s
                listen: { address: "127.0.0.1:0" }
                primary: { address: "%s:%d", %s }
                admin: { enabled: false }
                """.formatted(
                        transport,
                        server.address().getAddress().getHostAddress(),
                        server.address().getPort(),
                        primary));
        proxies.add(proxy);
        return proxy;
    }
}
